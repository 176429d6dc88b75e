"""What is answered is made from rows by the names of their attributes."""

from types import SimpleNamespace

import pytest
from pydantic import ValidationError

from web.api.operations import Model, StudentJson


class Answer(Model):
    """An example."""

    id: int
    errors: int
    student: StudentJson | None


ROW = SimpleNamespace(id=7, faults=2, secret="not described")
ADA = SimpleNamespace(login="ada", name="Ada", password_hash="secret")


def test_a_model_takes_of_a_row_what_it_describes_and_nothing_else() -> None:
    found = Answer.of(ROW, errors=ROW.faults, student=ADA)
    assert found.model_dump() == {"id": 7, "errors": 2, "student": {"login": "ada", "name": "Ada"}}
    assert Answer.of(ROW, errors=0, student=None).student is None


def test_what_a_row_lacks_is_our_fault_and_what_is_not_described_is_refused() -> None:
    with pytest.raises(AttributeError, match="errors"):
        Answer.of(ROW, student=None)
    with pytest.raises(ValidationError):
        Answer.of(ROW, errors=0, student=None, faults=2)
