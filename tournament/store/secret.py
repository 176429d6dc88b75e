"""The secret of an installation, which goes into seeds that nobody outside may calculate.

It is a row in the database, so that all hosts agree and a restored backup gives the same seeds.
"""

import secrets

from sqlalchemy.orm import Session

from tournament.store.database import insert_or_find
from tournament.store.tables import InstallationSecret


def installation_secret(session: Session) -> str:
    """The secret, 64 hexadecimal digits. It is drawn when it is first needed, so the session must be a `writing` one:
    a new database has no rows, and a backup can be restored into it."""

    def find() -> InstallationSecret | None:
        return session.get(InstallationSecret, 1)

    drawn = InstallationSecret(id=1, value=secrets.token_hex(32))
    return (find() or insert_or_find(session, drawn, find)).value
