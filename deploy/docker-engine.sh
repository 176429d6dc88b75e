#!/bin/sh
# A Docker engine of one's own, where none is installed or no image can be pulled: for the tests, and for trying things.
# As root on Debian:
#   docker-engine.sh tools        install what is needed
#   docker-engine.sh start DIR    start a daemon that keeps everything in DIR; its socket is DIR/docker.sock
#   docker-engine.sh image DIR    build the sandbox's image there, from a Debian base made by debootstrap
#   docker-engine.sh stop DIR     end the daemon, and remove DIR
# The base is kept in the cache folder: it takes half a minute to make. DIR must be a short path (sockets).
set -eu
cd "$(dirname "$0")/.."
CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/quadrille
BASE=quadrille-base
IMAGE=quadrille-sandbox
PATIENCE=100 # tenths of a second

say() { echo "quadrille: $*" >&2; }

start() {
    mkdir -p "$1"
    # No bridge and no firewall rules: the containers have no network.
    runsc=$(command -v runsc || echo /nowhere)
    echo '{"runtimes": {"runsc": {"path": "'"$runsc"'", "runtimeArgs": ["--network=none", "--platform=ptrace"]}}}' \
        >"$1/daemon.json"
    setsid dockerd --config-file "$1/daemon.json" -H "unix://$1/docker.sock" --data-root "$1/data" --exec-root "$1/exec" --pidfile "$1/pid" \
        --bridge none --iptables=false --ip6tables=false --ip-forward=false </dev/null >"$1/log" 2>&1 &
    tries=0
    until docker -H "unix://$1/docker.sock" version >/dev/null 2>&1; do
        tries=$((tries + 1))
        if [ $tries -gt $PATIENCE ]; then
            say "the Docker daemon does not start; it said:"
            tail -n 5 "$1/log" >&2
            exit 1
        fi
        sleep 0.1
    done
}

# A tar file of a Debian as small as can be, with Python. Its packages are unpacked and not set up, which is quicker and
# enough to run Python.
base() {
    codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
    tar=$CACHE/$BASE-$codename.tar
    if ! [ -e "$tar" ]; then
        say "making a base image of Debian $codename (once; half a minute)"
        mkdir -p "$CACHE"
        root=$(mktemp -d)
        debootstrap --foreign --variant=minbase --include=python3-minimal,libpython3-stdlib \
            "$codename" "$root" $(mirror "$codename") >"$root.log" 2>&1 ||
            { say "debootstrap failed:"; tail -n 5 "$root.log" >&2; exit 1; }
        for package in "$root"/var/cache/apt/archives/*.deb; do
            dpkg-deb -x "$package" "$root"
        done
        tar -C "$root" --exclude ./var/cache --exclude ./var/lib --exclude ./usr/share -cf "$tar.$$" .
        mv "$tar.$$" "$tar"
        rm -rf "$root" "$root.log"
    fi
    echo "$tar"
}

# Where apt gets a release from; nothing: debootstrap knows a place itself.
mirror() {
    # shellcheck disable=SC2016  # apt's variables
    apt-get indextargets --format '$(REPO_URI) $(CODENAME)' 'Created-By: Packages' |
        awk -v wanted="$1" '$2 == wanted { print $1; exit }'
}

image() {
    tar=$(base)
    docker -H "unix://$1/docker.sock" import "$tar" $BASE >/dev/null
    # The builder of old: the other is a package of its own in Debian.
    DOCKER_BUILDKIT=0 docker -H "unix://$1/docker.sock" build --quiet --network none --build-arg BASE=$BASE \
        -t $IMAGE -f deploy/images/sandbox.Dockerfile sandbox >/dev/null 2>"$1/build.log" ||
        { tail -n 5 "$1/build.log" >&2; exit 1; }
}

stop() {
    daemon=$(cat "$1/pid" 2>/dev/null || true)
    containerd=$(cat "$1/exec/containerd/containerd.pid" 2>/dev/null || true)
    if [ -n "$daemon" ] && kill "$daemon" 2>/dev/null; then
        until grep -q "Daemon shutdown complete" "$1/log" || ! kill -0 "$daemon" 2>/dev/null; do
            sleep 0.1
        done
        kill -9 "$daemon" ${containerd:+"$containerd"} 2>/dev/null || true # it would wait ten seconds for the other
    fi
    awk -v folder="$1/" 'index($2, folder) == 1 { print $2 }' /proc/mounts | sort -r | xargs -r umount
    rm -rf "$1"
}

case $1 in
    tools) deploy/bootstrap.sh tools dockerd debootstrap runsc ;;
    start) start "$2" ;;
    image) image "$2" ;;
    stop) stop "$2" ;;
    *) say "unknown step $1"; exit 2 ;;
esac
