"""Who may do what by the API: every operation, for everybody."""

import re

import pytest

from tests.web.access_patterns import CALLERS
from tests.web.api_access import API
from tests.web.contract import ApiClient
from tests.web.school import HASHED, School
from tests.web.site.test_access import places
from tournament.ladder.ladder import override_cooldown
from tournament.store.notices import tell
from tournament.store.tables import Notice, Tournament
from web.api.operations import OPERATIONS, Operation
from web.site.models import Membership, User

__all__ = ["all_places", "clients", "places"]

SECRETS = ("Ada Realname", '"ada"', "ada@example.org", "99001")
STRANGERS = ("ben", "otto", "theo", "opal")
"""Who must not learn who Ada is."""


def named(each: Operation) -> str:
    """An operation as the table calls it."""
    path = re.sub(r"<int:(\w+?)(?:_id)?>", r"{\1}", each.path.replace("<course>", "comp10001"))
    for kind in ("game", "batch"):
        path = re.sub(rf"^(/custom-\w+)/{{{kind}}}", rf"\1/{{custom_{kind}}}", path)
    return f"{each.method} {path}"


@pytest.fixture
def all_places(school: School, places: dict[str, int]) -> dict[str, int]:
    """The numbers in the addresses: all of it is Ada's."""
    ada = school.people["ada"]
    with school.write() as session:
        member = session.get_one(Membership, (ada, school.course))
        member.email, member.student_number = "ada@example.org", "99001"
        session.add(User(login="opal", name="Opal Operator", password_hash=HASHED))
        tell(session, ada, school.assignment, "Hello", "A notice.", [])
        session.flush()
        notice = session.query(Notice).filter_by(user_id=ada).order_by(Notice.id.desc()).first()
        ladder = session.get_one(Tournament, school.tournament)
        override_cooldown(session, ladder, ada, None, "ill", school.people["ines"])
        assert notice
        number = notice.id
    school.people["opal"] = school.people["olga"] + 1
    return {**places, "user": ada, "number": 1, "override": 1, "notice": number}


@pytest.fixture
def clients(school: School, all_places: dict[str, int]) -> dict[str, ApiClient]:
    return {login: ApiClient(school.app, school.token(login) if login else None) for login in CALLERS}


def test_every_operation_for_everybody(clients: dict[str, ApiClient], all_places: dict[str, int]) -> None:
    for each, statuses in API.items():
        method, path = each.format(**all_places).split()
        body = None if method == "GET" else {}
        answers = tuple(client.call(method, path, json=body).status_code for client in clients.values())
        assert answers == statuses, f"{each}: for {', '.join(CALLERS)}; see tests/web/api_access.py"


def test_no_operation_is_left_out() -> None:
    assert [named(each) for each in OPERATIONS if named(each) not in API] == []
    assert len(OPERATIONS) == len(API)


def test_nobody_learns_who_another_student_is(clients: dict[str, ApiClient], all_places: dict[str, int]) -> None:
    paths = [each.format(**all_places).split()[1] for each in API if each.startswith("GET")]
    for login in STRANGERS:
        for path in paths:
            text = clients[login].get(path).text
            assert [secret for secret in SECRETS if secret in text] == [], (login, path)
    assert all(secret in clients["tess"].get(path_of_marks(all_places)).text for secret in SECRETS)


def path_of_marks(places: dict[str, int]) -> str:
    """Where somebody who may see Ada's name sees all of it."""
    return f"/assignments/{places['assignment']}/marks"
