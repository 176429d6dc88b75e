# As the public image of PostgreSQL begins: a new cluster if there is none, then the server, as its own user.
set -eu
[ "$1" = postgres ] || exec "$@"
PGDATA=/var/lib/postgresql/data
as_postgres() { setpriv --reuid 999 --regid 999 --clear-groups --inh-caps=-all "$@"; }
if ! [ -e $PGDATA/PG_VERSION ]; then
    chown 999:999 $PGDATA
    chmod 0700 $PGDATA
    # shellcheck disable=SC2086  # several arguments
    as_postgres initdb -D $PGDATA -U "$POSTGRES_USER" --pwfile "$POSTGRES_PASSWORD_FILE" --auth scram-sha-256 \
        $POSTGRES_INITDB_ARGS
    echo "host all all all scram-sha-256" >>$PGDATA/pg_hba.conf
    echo "CREATE DATABASE $POSTGRES_DB" | as_postgres postgres --single -j -D $PGDATA postgres
fi
exec setpriv --reuid 999 --regid 999 --clear-groups postgres -D $PGDATA -c listen_addresses='*' -k /tmp
