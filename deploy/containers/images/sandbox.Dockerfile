# The image in which students' players run: an interpreter, its standard library and the sandbox's guest only.
#
#   docker build -t quadrille-sandbox -f deploy/containers/images/sandbox.Dockerfile sandbox
#
# BASE can be any image with glibc and Python 3.11 or later; its other files are not copied.
ARG BASE=python:3.11-slim

FROM ${BASE} AS base
COPY . /build/sandbox
WORKDIR /build
RUN python3 -B -m sandbox.container.rootfs /rootfs

FROM scratch
COPY --from=base /rootfs /
USER 65534:65534
WORKDIR /
ENV PYTHONHOME=/py PYTHONPATH=/guest PYTHONHASHSEED=0 PYTHONUTF8=1 LD_LIBRARY_PATH=/lib LD_BIND_NOW=1
CMD ["/py/bin/python3", "-s", "-S", "-P", "-B", "-m", "sandbox.inside.container_guest"]
