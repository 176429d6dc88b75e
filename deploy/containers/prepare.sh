#!/bin/sh
# Creates the files that compose.yaml needs: secrets/ with random passwords, an empty list of single sign-on providers
# and no mailbox for returned e-mail; the folder texts; and .env for you to edit. Existing files are kept.
set -eu
cd "$(dirname "$0")"
mkdir -p -m 0700 secrets # its mode protects the files, which users inside the containers must read
for name in database_password broker_password; do
    [ -s secrets/$name ] || (umask 022 && od -An -N24 -tx1 /dev/urandom | tr -d ' \n' >secrets/$name)
done
[ -e secrets/sign_on ] || (umask 022 && echo '[]' >secrets/sign_on)
[ -e secrets/mail_bounces ] || (umask 022 && : >secrets/mail_bounces)
mkdir -p -m 0755 texts
[ -e .env ] || (umask 077 && cp images/env .env) # it may contain a token
