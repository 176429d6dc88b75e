# The image of Quadrille: the site, the scheduler, the workers, and every command.
#
#   docker build -t quadrille -f deploy/containers/images/quadrille.Dockerfile .
#
# BASE can be any Debian with Python 3.11 or later. Without access to a package index, put the wheels into
# deploy/wheels and add `--build-arg PIP_NO_INDEX=1`.
ARG BASE=python:3.11-slim

FROM ${BASE} AS build
ARG PIP_INDEX_URL
ARG PIP_NO_INDEX
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore PIP_FIND_LINKS=/build
WORKDIR /build
RUN python3 -m venv /opt/quadrille
ENV PATH=/opt/quadrille/bin:$PATH
COPY pyproject.toml deploy/requirements.lock deploy/wheels* ./
RUN python -c "import tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))['project']['dependencies'], sep='\n')" \
        >asked.txt \
    && pip install --quiet --no-compile --constraint requirements.lock --requirement asked.txt setuptools \
    && find /opt/quadrille -name tests -type d -prune -exec rm -rf {} + \
    && python -m compileall -q -j 0 /opt/quadrille/lib
COPY . .
RUN pip install --quiet --no-deps --no-build-isolation . && pip uninstall --quiet --yes setuptools pip

FROM ${BASE}
RUN command -v bwrap >/dev/null \
    || { apt-get update -qq && apt-get install -y -qq --no-install-recommends bubblewrap && rm -rf /var/lib/apt/lists/*; }
RUN echo "quadrille:x:10001:10001:Quadrille:/data:/usr/sbin/nologin" >>/etc/passwd \
    && echo "quadrille:x:10001:" >>/etc/group \
    && install -d -o 10001 -g 10001 -m 0700 /data
COPY --from=build /opt/quadrille /opt/quadrille
ENV PATH=/opt/quadrille/bin:$PATH PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 QUADRILLE_DATA=/data
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8000
ENTRYPOINT ["quadrille"]
CMD ["--help"]
