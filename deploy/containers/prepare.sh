#!/bin/sh
# Makes what compose.yaml needs and nobody should write by hand: passwords in secrets/, and .env to be edited. What is
# there already is left alone.
set -eu
cd "$(dirname "$0")"
mkdir -p -m 0700 secrets # the files below are read by other users inside the containers; nobody else gets past this folder
for name in database_password broker_password; do
    [ -s secrets/$name ] || (umask 022 && od -An -N24 -tx1 /dev/urandom | tr -d ' \n' >secrets/$name)
done
[ -e .env ] || (umask 077 && cp images/env .env) # it may get a token
