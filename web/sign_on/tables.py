"""The table of single sign-on: which account belongs to which person at a provider."""

from datetime import datetime

from sqlalchemy import ForeignKey, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from tournament.store.database import Base, now
from web.site.models import User


class SignOnIdentity(Base):
    """A person at a provider, and their account here. The issuer and the subject always identify the same person at the
    provider; `known_as` is the person's login or mail address there at the time of connecting, used for display
    only."""

    __tablename__ = "sign_on_identity"
    __table_args__ = (
        UniqueConstraint("issuer", "subject"),
        UniqueConstraint("user_id", "issuer"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user.id"))
    issuer: Mapped[str]
    subject: Mapped[str]
    known_as: Mapped[str]
    connected_at: Mapped[datetime] = mapped_column(default=now)

    user: Mapped[User] = relationship()
