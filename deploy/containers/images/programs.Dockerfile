# The image in which students' programs are compiled and run: the toolchains (g++, gcc, Python) and the sandbox's
# launcher only.
#
#   docker build -t quadrille-programs -f deploy/containers/images/programs.Dockerfile sandbox
#
# BASE can be any Debian with Python 3.11 or later; its other files are not copied.
ARG BASE=python:3.11-slim

FROM ${BASE} AS base
RUN command -v g++ >/dev/null \
    || { apt-get update -qq && apt-get install -y -qq --no-install-recommends g++ && rm -rf /var/lib/apt/lists/*; }
COPY . /build/sandbox
WORKDIR /build
RUN python3 -B -m sandbox.container.rootfs /rootfs programs

FROM scratch
COPY --from=base /rootfs /
USER 65534:65534
WORKDIR /
ENV PYTHONHOME=/py PYTHONPATH=/guest PYTHONUTF8=1 PYTHONDONTWRITEBYTECODE=1 LD_LIBRARY_PATH=/pylib
CMD ["/py/bin/python3", "-s", "-S", "-P", "-B", "-m", "sandbox.inside.container_guest", "programs"]
