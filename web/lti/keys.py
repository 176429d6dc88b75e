"""This site's own keys, which sign its messages to platforms. They are stored in the database, so that all processes
and a restored backup have the same keys.

A new key is published for a day before it signs anything, since platforms cache the keys that they have read. A former
key stays published until all of its signatures have expired.
"""

from datetime import timedelta
from functools import cache
from typing import Any, Final

from joserfc import jwt
from joserfc.jwk import RSAKey
from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from tournament.store.database import Sessions, now, reading, writing
from web.lti.tables import LtiKey

SIGNS_FOR: Final = timedelta(days=90)
ANNOUNCED: Final = timedelta(days=1)
ALGORITHM: Final = "RS256"


def rotate(sessions: Sessions, at_once: bool = False) -> None:
    """Create a key if the newest one is old, and delete keys that have been replaced. If `at_once`, a new key replaces
    all others immediately, in case somebody else has seen them."""
    with writing(sessions) as session:
        found = _keys(session)
        if at_once or not found or found[0].made_at < now() - SIGNS_FOR:
            made = RSAKey.generate_key(2048, auto_kid=True)
            session.add(LtiKey(kid=made.kid, private=made.as_pem(private=True).decode()))
        known = [each.made_at for each in found if each.made_at < now() - ANNOUNCED]
        ended = min(now() - SIGNS_FOR - 2 * ANNOUNCED, max(known, default=now()))  # by then, a later key signs
        old = LtiKey.made_at < (now() if at_once else ended)
        session.execute(delete(LtiKey).where(old, LtiKey.kid.in_([each.kid for each in found])))


def _keys(session: Session) -> list[LtiKey]:
    return list(session.scalars(select(LtiKey).order_by(LtiKey.made_at.desc())))


def _present(sessions: Sessions) -> list[LtiKey]:
    with reading(sessions) as session:
        found = _keys(session)
    if found:
        return found
    rotate(sessions)
    return _present(sessions)


@cache
def _key_from(kid: str, private: str) -> RSAKey:
    return RSAKey.import_key(private, {"kid": kid})


def published(sessions: Sessions) -> dict[str, Any]:
    """This site's public keys as a JSON web key set."""
    keys = (_key_from(each.kid, each.private).as_dict(private=False) for each in _present(sessions))
    return {"keys": [{**each, "alg": ALGORITHM, "use": "sig"} for each in keys]}


def signed(sessions: Sessions, claims: dict[str, Any]) -> str:
    """A signed token with these claims."""
    found = _present(sessions)
    row = next((each for each in found if each.made_at < now() - ANNOUNCED), found[-1])
    key = _key_from(row.kid, row.private)
    return jwt.encode({"alg": ALGORITHM, "kid": key.kid, "typ": "JWT"}, claims, key)
