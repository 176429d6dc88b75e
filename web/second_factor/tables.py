"""The tables of second factors."""

from datetime import datetime

from sqlalchemy import JSON, BigInteger, ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from tournament.store.database import Base, now


class SecondFactor(Base):
    """The second factors of a person: an app that shows codes (TOTP), passkeys, or both, and recovery codes, of which
    the SHA-256 hashes are stored until they are used. `secret`: the secret of the app, "" without one; it was set up
    at `made_at`. `last_step`: the step of the last code that was used, counted in half minutes."""

    __tablename__ = "second_factor"

    user_id: Mapped[int] = mapped_column(ForeignKey("user.id"), primary_key=True)
    secret: Mapped[str]
    last_step: Mapped[int]
    recovery: Mapped[list[str]] = mapped_column(JSON)
    made_at: Mapped[datetime] = mapped_column(default=now)


class Passkey(Base):
    """A person's passkey: its id on their device, in base64url, and its public key (COSE). `sign_count`: how often it
    has signed, according to its own counter; 0 if it has no counter."""

    __tablename__ = "passkey"

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user.id"), index=True)
    credential: Mapped[str] = mapped_column(unique=True)
    public_key: Mapped[bytes]
    sign_count: Mapped[int] = mapped_column(BigInteger)  # up to 32 unsigned bits
    name: Mapped[str]
    made_at: Mapped[datetime] = mapped_column(default=now)
    used_at: Mapped[datetime | None]
