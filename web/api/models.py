"""What the models of the API share. `openapi.json` is made from all of them; each stands beside its operations."""

from datetime import datetime
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field
from pydantic.config import JsonDict

from tournament.store.tables import TournamentState
from web.site.inputs import LARGEST_ID


class Model(BaseModel):
    """The base of all models: nothing is answered or taken that is not described."""

    model_config = ConfigDict(
        extra="forbid", from_attributes=True, model_title_generator=lambda model: public_name(model.__name__)
    )

    @classmethod
    def of(cls, row: object, **more: Any) -> Self:
        """What a row says, each field by the attribute of its name, and `more`: the fields that the row does not have,
        or has in another form."""
        named = {name: getattr(row, name) for name in cls.model_fields if name not in more}
        return cls.model_validate({**named, **more})


def public_name(name: str) -> str:
    """The name of a model in the document. A model ends in `Json` if its name belongs to a class of another room."""
    return name.removesuffix("Json")


SOURCE: JsonDict = {"pattern": r"^(?:[^\u0000\r]|\r\n)*[^\u0000\t\n\v\f\r \ufeff](?:[^\u0000\r]|\r\n)*$"}
"""The text of a file; anything else is refused by `grader.store.uploads`, in words for a student."""

TYPED: JsonDict = {"pattern": r"^[^\u0000]*$"}
"""A text that can be stored."""

SAID: JsonDict = {"pattern": r"^[^\u0000]*\S[^\u0000]*$"}
"""A text that is neither empty nor only spaces."""


class TournamentSummary(Model):
    id: int
    title: str
    game: str
    state: TournamentState
    season_ended: datetime | None = Field(None, description="when this season of a ladder ended; null: it is running")


class TournamentQuery(Model):
    """The tournament that a request is about."""

    tournament: int | None = Field(
        None, ge=1, le=LARGEST_ID, description="the tournament's id; without it, the standard tournament"
    )


class StudentJson(Model):
    """A student, named to instructors only."""

    login: str
    name: str
