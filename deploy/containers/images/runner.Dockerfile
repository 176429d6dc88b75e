# The image of the runner, the only service with access to the Docker socket: it contains only what the runner needs.
#
#   docker build -t quadrille-runner -f deploy/containers/images/runner.Dockerfile .
#
# It takes the same build arguments as quadrille.Dockerfile.
ARG BASE=python:3.11-slim

FROM ${BASE} AS build
ARG PIP_INDEX_URL
ARG PIP_NO_INDEX
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore PIP_FIND_LINKS=/build
WORKDIR /build
RUN python3 -m venv /opt/quadrille
ENV PATH=/opt/quadrille/bin:$PATH
COPY deploy/requirements.lock deploy/wheels* ./
RUN pip install --quiet --constraint requirements.lock click docker google-re2 structlog && pip uninstall --quiet --yes setuptools pip
COPY deploy /opt/quadrille/source/deploy
COPY sandbox /opt/quadrille/source/sandbox
RUN rm -rf /opt/quadrille/source/deploy/wheels && python -m compileall -q /opt/quadrille/source

FROM ${BASE}
COPY --from=build /opt/quadrille /opt/quadrille
WORKDIR /opt/quadrille/source
ENV PATH=/opt/quadrille/bin:$PATH PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
# Workers connect as members of this group.
CMD chgrp 10001 "$QUADRILLE_RUNNER" && chmod 0750 "$QUADRILLE_RUNNER" && exec python -m deploy.cli runner
