"""After the night: what became of every upload, from the API, with a token of each student who uploaded."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

import aiohttp

from tests.load.browser import Browser, Failed, token_of
from tests.load.classroom import is_right, upload_of
from tests.load.student import LoadedAssignment, SimulatedStudent
from tests.load.turns import GradedTimes

LABEL = "load test"
AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class Audit:
    """`graded` holds the stored times of every graded upload, and `lost` a sentence for every lost one: its file did
    not become exactly one submission, or its report does not say that all cases passed."""

    graded: Sequence[GradedTimes]
    lost: Sequence[str]


async def token(browser: Browser) -> str:
    """A new token for the API, made on the account page. Raises Failed."""
    page = await browser.open("account", "/account/")
    fields = {"csrf_token": token_of(page), "label": LABEL}
    page = await browser.post("token", "/account/tokens", fields, expected=(200,))
    found = page.find(r"\b(qd_[0-9a-f]{64})\b")  # a page is full of other random words, which may look like one
    if found is None:
        browser.visits.fail("token", "the account page shows no new token")
        raise Failed("token")
    return found


async def forget_token(browser: Browser) -> None:
    """Revoke the tokens made here. Raises Failed."""
    page = await browser.open("account", "/account/")
    while path := page.find(r'action="(/account/tokens/\d+/revoke)"'):
        await browser.post("token", path, {"csrf_token": token_of(page)})
        page = await browser.open("account", "/account/")


async def ask(browser: Browser, bearer: str, path: str) -> Any:
    """Ask the API; return its answer. Raises aiohttp.ClientError."""
    headers = {"Authorization": f"Bearer {bearer}"}
    site = aiohttp.ClientSession(browser.address, headers=headers, raise_for_status=True)
    async with site as http, http.get(f"/api/v1{path}") as reply:
        return await reply.json()


async def find_place(browser: Browser, game: str) -> LoadedAssignment | None:
    """This student's first assignment with the game and a tournament; None if there is none. Raises Failed."""
    bearer = await token(browser)
    assignments = (await ask(browser, bearer, "/assignments"))["assignments"]
    await forget_token(browser)
    for each in assignments:
        if each["game"] == game and each["tournament"]:
            return LoadedAssignment(each["course"]["slug"], each["slug"], each["tournament"]["id"], each["id"])
    return None


async def audit(students: Sequence[SimulatedStudent]) -> Audit:
    """Look at every upload of these students."""
    limit = asyncio.Semaphore(AT_ONCE)

    async def look(student: SimulatedStudent) -> tuple[list[GradedTimes], list[str]]:
        async with limit:
            return await _look(student)

    looked = await asyncio.gather(*(look(student) for student in students if student.accepted))
    return Audit([each for graded, _ in looked for each in graded], [each for _, lost in looked for each in lost])


async def _look(student: SimulatedStudent) -> tuple[list[GradedTimes], list[str]]:
    """The uploads of one student that are graded, and what is wrong with the others."""
    bearer = await token(student.browser)
    rows = (await ask(student.browser, bearer, f"/assignments/{student.place.assignment}/submissions"))["submissions"]
    graded, lost = [], []
    for words in student.accepted:
        own = [row for row in rows if row["sha256"] == sha256(upload_of(words)).hexdigest()]
        if trouble := await _trouble(student, bearer, own, is_right(words)):
            lost.append(f"{student.account.login}: {trouble}")
        graded += [_graded(student, row) for row in own if row["finished_at"]]
    await forget_token(student.browser)
    return graded, lost


async def _trouble(student: SimulatedStudent, bearer: str, rows: Sequence[Any], right: bool) -> str:
    """What is wrong with the submissions that the site made of one file; "" if nothing is."""
    if len(rows) != 1:
        return f"{len(rows)} submissions were made of one upload"
    (row,) = rows
    if row["state"] != "done":
        return f"submission {row['id']} is {row['state']}, not graded"
    report = await ask(student.browser, bearer, f"/submissions/{row['id']}/report")
    passed = [question["passed"] == question["total"] > 0 for question in report["questions"]]
    if passed and all(passed) is right:
        return ""
    expected = "all cases passed" if right else "cases failed"
    return f"submission {row['id']}: the report does not say that {expected}"


def _graded(student: SimulatedStudent, row: Any) -> GradedTimes:
    queued, finished = (datetime.fromisoformat(row[name]) for name in ("uploaded_at", "finished_at"))
    return GradedTimes(row["id"], student.account.login, queued, finished)
