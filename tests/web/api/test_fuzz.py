"""The API against its own document, with what nobody thought of: schemathesis sends what the document allows, which
must be accepted, and what it does not, which must be refused. `make fuzz` tries ten times as much."""

import os
from contextlib import nullcontext, suppress
from math import ceil
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable

from grader.store.models import Assignment
from tests.tournament.factory import publish_examples
from tests.web.reports import good
from tests.web.school import School
from tournament.ladder.ladder import ensure_bots
from tournament.store.tables import Tournament
from web.api.operations import COURSE
from web.site.auth import limiter

pytestmark = pytest.mark.full

CASES = int(os.environ.get("FUZZ_CASES", "300"))
ROLES = ("ada", "ines")


@pytest.fixture
def unlimited() -> Any:
    """Requests are not counted: all of them come from one person."""
    limiter.enabled = False
    yield
    limiter.enabled = True


@pytest.fixture
def busy(school: School) -> School:
    """A class with something of every kind, so that guessed numbers hit."""
    with school.write() as session:
        session.get_one(Assignment, school.assignment).custom_games_hour = 1000
        duels = Assignment(course_id=school.course, slug="kotc", title="Kings", game="kotc")
        publish_examples(session, duels)
        ladder = Tournament(assignment_id=duels.id, slug="ladder", title="For two", game="kotc")
        session.add(ladder)
        session.flush()
        ensure_bots(session, ladder)
    for login in ("ada", "ben", "ines"):
        school.enter(login)
        school.graded(login, good())
    return school


@pytest.mark.usefixtures("unlimited")
@pytest.mark.parametrize("login", ROLES)
def test_the_api_does_what_its_document_says(busy: School, login: str) -> None:
    import schemathesis  # takes a second of every process that collects the tests, and only one runs these

    document = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", busy.app)
    plain = {"Accept-Encoding": "identity"}  # without a network, nothing unpacks an answer before it is read
    document.config.update(headers={"Authorization": f"Bearer {busy.token(login)}", **plain})
    operations = [found.ok() for found in document.get_all_operations()]
    share = CASES // len(ROLES)
    tried = sum(
        _try(each, mode, ceil(0.6 * share / len(operations)))
        for each in operations
        for mode in schemathesis.GenerationMode
    )
    assert tried >= share


def _try(operation: Any, mode: Any, most: int) -> int:
    """So many cases of an operation, half of them about what there is; how many there were."""
    from schemathesis.checks import ignored_auth

    tried, positive = 0, mode.name == "POSITIVE"

    @given(case=operation.as_strategy(generation_mode=mode), near=st.booleans(), number=st.integers(1, 3))
    @settings(
        max_examples=most,
        database=None,
        derandomize=True,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def holds(case: Any, near: bool, number: int) -> None:
        nonlocal tried
        tried += 1
        if near and positive:
            case.path_parameters = dict.fromkeys(case.path_parameters, number)
            if COURSE in case.path_parameters:
                case.path_parameters[COURSE] = "comp10001"
        case.call_and_validate(excluded_checks=[ignored_auth])  # it takes our token for one that it has made up

    with nullcontext() if positive else suppress(Unsatisfiable):  # nothing could be wrong there
        holds()
    return tried
