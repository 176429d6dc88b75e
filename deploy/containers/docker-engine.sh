#!/bin/sh
# Runs a private Docker engine where none is installed or no image can be pulled: for tests and experiments.
# As root on Debian:
#   docker-engine.sh tools        install the programs that this script needs
#   docker-engine.sh start DIR    start a daemon that keeps everything in DIR; its socket is DIR/docker.sock
#   docker-engine.sh start DIR networks
#                                 start a daemon whose containers share a network, in a network namespace that ends with
#                                 the daemon and does not affect the machine's firewall; DIR/pid contains the process id
#   docker-engine.sh base DIR     import a Debian base, created by debootstrap, as quadrille-base
#   docker-engine.sh image DIR    build the sandbox image from that base
#   docker-engine.sh programs DIR build the image for programs from that base
#   docker-engine.sh stop DIR     stop the daemon, and remove DIR
# Creating the base takes half a minute; it is then cached. The path DIR must be short, since sockets are in it.
set -eu
cd "$(dirname "$0")/../.."
SCRIPT=$PWD/deploy/containers/docker-engine.sh
CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/quadrille
BASE=quadrille-base
PACKAGES=python3,python3-venv,bubblewrap,busybox,g++
ROOMY=8000000 # kB of memory
PATIENCE=600 # tenths of a second

say() { echo "quadrille: $*" >&2; }

start() {
    if ! [ -e "$1/data" ]; then
        mkdir -p "$1/data"
        if [ "$(awk '/^MemAvailable/ { print $2 }' /proc/meminfo)" -gt $ROOMY ]; then
            mount -t tmpfs -o mode=0710 quadrille "$1/data" || true # faster to use and to remove
        fi
    fi
    echo '{}' >"$1/daemon.json" # instead of the machine's own configuration
    if [ "${2:-}" = networks ]; then
        set -- "$1" unshare --net sh -c 'ip link set lo up && exec "$@"' sh "$SCRIPT" daemon "$1"
    else
        # No bridge and no firewall rules: the containers have no network.
        set -- "$1" "$SCRIPT" daemon "$1" --bridge none --iptables=false --ip6tables=false --ip-forward=false
    fi
    folder=$1
    shift
    setsid "$@" </dev/null >"$folder/log" 2>&1 &
    await "$folder"
}

daemon() {
    folder=$1
    shift
    exec dockerd --config-file "$folder/daemon.json" -H "unix://$folder/docker.sock" --data-root "$folder/data" \
        --exec-root "$folder/exec" --pidfile "$folder/pid" "$@"
}

await() {
    tries=0
    until docker -H "unix://$1/docker.sock" version >/dev/null 2>&1; do
        tries=$((tries + 1))
        if [ $tries -gt $PATIENCE ]; then
            say "the Docker daemon does not start; the end of its log:"
            tail -n 5 "$1/log" >&2
            exit 1
        fi
        sleep 0.1
    done
}

# Print the path of a tar file of a minimal Debian with the packages of our images. The packages are unpacked but not set
# up, which is faster and enough to run Python.
base_tar() {
    codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
    tar=$CACHE/$BASE-$codename-$(echo "$PACKAGES, compiled" | cksum | cut -d ' ' -f 1).tar
    mkdir -p "$CACHE"
    exec 9>"$CACHE/lock" # another process may be creating the file
    flock 9
    [ -e "$tar" ] || make_base "$codename" "$tar"
    exec 9>&-
    echo "$tar"
}

make_base() {
    say "making a base image of Debian $1 (once; half a minute)"
    root=$(mktemp -d)
    # shellcheck disable=SC2046  # without a mirror, there must be no argument
    debootstrap --foreign --variant=minbase --include="$PACKAGES" "$1" "$root" $(mirror "$1") >"$root.log" 2>&1 ||
        { say "debootstrap failed:"; tail -n 5 "$root.log" >&2; exit 1; }
    for package in "$root"/var/cache/apt/archives/*.deb; do
        dpkg-deb -x "$package" "$root"
    done
    chroot "$root" python3 -m compileall -q -x 'lib2to3|pydoc_data|test' /usr/lib/python3 /usr/lib/python3.[0-9]*
    tar -C "$root" --exclude ./var/cache --exclude ./var/lib --exclude ./usr/share/doc --exclude ./usr/share/i18n \
        --exclude ./usr/share/locale --exclude ./usr/share/man --exclude ./usr/share/perl5 -cf "$2.part" .
    mv "$2.part" "$2"
    rm -rf "$root" "$root.log"
}

# Print the mirror from which apt gets a release. If there is none, debootstrap uses its own default.
mirror() {
    # shellcheck disable=SC2016  # apt's variables
    apt-get indextargets --format '$(REPO_URI) $(CODENAME)' 'Created-By: Packages' |
        awk -v wanted="$1" '$2 == wanted { print $1; exit }'
}

base() {
    tar=$(base_tar)
    docker -H "unix://$1/docker.sock" import "$tar" $BASE >/dev/null
}

image() {
    base "$1"
    build "$1" sandbox
}

programs() {
    base "$1"
    build "$1" programs
}

# Use the classic builder: the new builder is a separate package in Debian.
build() {
    DOCKER_BUILDKIT=0 docker -H "unix://$1/docker.sock" build --quiet --network none --build-arg BASE=$BASE \
        -t quadrille-"$2" -f deploy/containers/images/"$2".Dockerfile sandbox >/dev/null 2>"$1/build.log" ||
        { tail -n 5 "$1/build.log" >&2; exit 1; }
}

stop() {
    daemon=$(cat "$1/pid" 2>/dev/null || true)
    containerd=$(cat "$1/exec/containerd/containerd.pid" 2>/dev/null || true)
    if [ -n "$daemon" ] && kill "$daemon" 2>/dev/null; then
        until grep -q "Daemon shutdown complete" "$1/log" || ! kill -0 "$daemon" 2>/dev/null; do
            sleep 0.1
        done
        kill -9 "$daemon" ${containerd:+"$containerd"} 2>/dev/null || true # otherwise each waits ten seconds for the other
    fi
    awk -v folder="$1/" 'index($2, folder) == 1 { print $2 }' /proc/mounts | sort -r | xargs -r umount --lazy
    rm -rf "$1"
}

step=$1
shift
case $step in
    tools) deploy/bootstrap.sh tools dockerd debootstrap ip ;;
    start | daemon | base | image | programs | stop) "$step" "$@" ;;
    *) say "unknown step $step"; exit 2 ;;
esac
