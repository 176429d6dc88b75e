"""One student of a deadline night, from signing in to the last replay.

The student opens a page, stays there for a while, and goes on. Meanwhile the page asks the server for changes, as
`refresh.js` and `replay.js` do.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from time import monotonic

from tests.load.browser import Browser, Failed, Form, PageAnswer, token_of, upload_form
from tests.load.classroom import Credentials, upload_of

THINK_S = (10.0, 30.0)
"""Seconds that a student stays on a page, evenly distributed between these."""

CHOOSING_S = (2.0, 5.0)
"""Seconds that it takes to choose the file, once the page with the form is there."""

NEXT_PAGE = {"assignment": 3, "leaderboard": 3, "replay": 2, "home": 1, "report": 1}
"""How often each page is opened, relative to the others."""

WAYS = {"once": 7, "twice": 1, "two tabs": 1, "broken off": 1}
"""The ways to upload, with their relative frequency: once; with the button pressed twice; from two tabs within a
second; over a connection that breaks in the middle, half of the time silently, before the form is sent again."""

STEP_S = 0.9  # seconds between two plays of a replay, see replay.js
PATIENCE_S = 240.0  # for a report
BROKEN_S = (1.0, 5.0)  # until a student whose connection broke tries again


@dataclass(frozen=True, slots=True)
class LoadedAssignment:
    """The assignment that the class works on."""

    course: str
    slug: str
    tournament: int
    assignment: int

    @property
    def path(self) -> str:
        """Path of the assignment's page."""
        return f"/courses/{self.course}/{self.slug}/"

    @property
    def board(self) -> str:
        """Path of the leaderboard."""
        return f"/tournaments/{self.tournament}/"


@dataclass(frozen=True, slots=True)
class Planned:
    """A planned upload: its time `at` (seconds on the monotonic clock), in one of WAYS."""

    at: float
    way: str


@dataclass
class SimulatedStudent:
    """A simulated student. `accepted`: the ids of the submissions that the site made of each upload, by the words that
    make its file unique; `waited`: seconds from each upload to its report on the page."""

    account: Credentials
    browser: Browser
    place: LoadedAssignment
    rng: Random
    until: float
    uploads: list[Planned]
    accepted: dict[str, set[int]] = field(default_factory=dict)
    waited: list[float] = field(default_factory=list)
    report: int | None = None
    entry: str | None = None

    async def live(self) -> None:
        """Sign in, and go from page to page until the night is over. Failed requests are recorded, no more."""
        pages: dict[str, Callable[[], Awaitable[None]]] = {
            "home": self._home,
            "assignment": self._assignment,
            "leaderboard": self._leaderboard,
            "replay": self._replay,
            "report": self._old_report,
        }
        try:
            await self.sign_in()
        except Failed:
            return
        await self.wander(pages, NEXT_PAGE)

    async def wander(self, pages: Mapping[str, Callable[[], Awaitable[None]]], often: Mapping[str, int]) -> None:
        """Open one page after another, each as `often` as that says relative to the others, and upload as planned."""
        while monotonic() < self.until or self.uploads:
            try:
                if self.uploads and self.uploads[0].at <= monotonic():
                    await self._upload(self.uploads.pop(0))
                else:
                    (page,) = self.rng.choices(list(often), list(often.values()))
                    await pages[page]()
            except Failed:
                await self.stay()

    async def sign_in(self) -> None:
        """Sign in, and look at the home page. Raises Failed."""
        form = await self.browser.open("sign-in form", "/sign-in")
        fields = {"csrf_token": token_of(form), "login": self.account.login, "password": self.account.password}
        await self.browser.post("sign-in", "/sign-in", fields)
        await self._home()

    # Pages

    async def _home(self) -> None:
        await self.browser.open("home", "/")
        await self.stay()

    async def _assignment(self) -> None:
        page = await self.browser.open("assignment", self.place.path)
        self.entry = page.find(r'href="(/entries/\d+/)"') or self.entry
        await self.stay(page, "entry card")

    async def _leaderboard(self) -> None:
        page = await self.browser.open("leaderboard", self.place.board)
        await self.stay(page, "leaderboard refresh")

    async def _old_report(self) -> None:
        if self.report is None:
            return await self._assignment()
        await self.browser.open("report", f"/submissions/{self.report}/")
        return await self.stay()

    async def _replay(self) -> None:
        if self.entry is None:
            return await self._assignment()
        games = (await self.browser.open("entry", self.entry)).find(r'href="(/games/\d+/)')
        if games is None:
            return await self.stay()
        await self._pause(2.0, 5.0)
        page = await self.browser.open("game", games)
        return await self._watch(page, f"{games}plays/")

    async def _watch(self, page: PageAnswer, plays: str) -> None:
        """Let a replay run until the student leaves. All its drawings come in one file."""
        last = int(page.find(r'type="range" min="0" max="(\d+)"') or 0)
        await self.browser.get("replay film", f"{plays}0?part=film")
        await asyncio.sleep(max(0.0, min(self._leaves_at() - monotonic(), last * STEP_S)))

    # Staying on a page

    def _leaves_at(self) -> float:
        """When the student leaves a page: after a while, or earlier for a planned upload."""
        planned = self.uploads[0].at if self.uploads else self.until
        return min(monotonic() + self.rng.uniform(*THINK_S), max(planned, monotonic()))

    async def stay(self, page: PageAnswer | None = None, part: str = "") -> None:
        """Stay on the page, which refreshes itself meanwhile."""
        ends, tag, unchanged = self._leaves_at(), None, 0
        while page and (refresh := _refresh(page, unchanged)) and monotonic() + refresh[1] < ends:
            await asyncio.sleep(refresh[1])
            answer = await self.browser.get(part, refresh[0], tag=tag)
            unchanged += 1
            if answer.status != 304:
                page, tag, unchanged = answer, answer.headers.get("ETag"), 0
        await asyncio.sleep(max(0.0, ends - monotonic()))

    async def _pause(self, shortest: float, longest: float) -> None:
        await asyncio.sleep(self.rng.uniform(shortest, longest))

    # Uploading

    async def _upload(self, planned: Planned) -> None:
        words = f"{self.account.login} {planned.at}"
        form = await self._filled_in(words)
        began = monotonic()
        self.browser.visits.counts[f"uploaded {planned.way}"] += 1
        if planned.way == "twice":
            answers = list(await asyncio.gather(self.browser.upload(form), self.browser.upload(form)))
        elif planned.way == "two tabs":
            answers = await self._from_two_tabs(form, words)
        else:
            if planned.way == "broken off":
                await self.browser.break_off(form, silent=self.rng.random() < 0.5)
                await self._pause(*BROKEN_S)
                began = monotonic()
            answers = [await self.browser.upload(form)]
        began = monotonic()
        taken = [answer.path for answer in answers if answer.status == 303]
        self.accepted[words] = {int(path.strip("/").split("/")[-1]) for path in taken}
        await self._await_report(taken[0], began)

    async def _filled_in(self, words: str) -> Form:
        page = await self.browser.open("assignment", self.place.path)
        await self._pause(*CHOOSING_S)
        fields = {"csrf_token": token_of(page), "nonce": page.find(r'name="nonce" value="([^"]+)"') or ""}
        fields["mode"] = "test" if page.find("(data-excluded)") else "enter"
        return upload_form(f"{self.place.path}submissions", fields, "player.py", upload_of(words))

    async def _from_two_tabs(self, form: Form, words: str) -> list[PageAnswer]:
        other = await self._filled_in(words)
        first = asyncio.create_task(self.browser.upload(form))
        await self._pause(0.0, 1.0)
        # By the second click the first may be graded and entered already: then it is too soon to enter again.
        return [await first, await self.browser.upload(other, expected=(303, 429))]

    async def _await_report(self, path: str, began: float) -> None:
        """Watch the submission's page until its report is there, then read it."""
        page, tag, unchanged = await self.browser.open("submission", path), None, 0
        while "data-graded" not in page.text and (refresh := _refresh(page, unchanged)):
            if monotonic() - began > PATIENCE_S:
                self.browser.visits.fail("report", f"{path}: none after {PATIENCE_S:g} s")
                return
            await asyncio.sleep(refresh[1])
            answer = await self.browser.get("submission refresh", refresh[0], tag=tag)
            unchanged += 1
            if answer.status != 304:
                page, tag, unchanged = answer, answer.headers.get("ETag"), 0
        self.waited.append(monotonic() - began)
        self.report = int(path.strip("/").split("/")[-1])
        await self.stay()


def _refresh(answer: PageAnswer, unchanged: int) -> tuple[str, float] | None:
    """The path that the page refreshes itself from, and after how many seconds, when so many answers in a row brought
    nothing new; see refresh.js."""
    path = answer.find(r'data-refresh="([^"]+)"')
    every = answer.find(r'data-every="(\d+)"')
    slower = min(1 + unchanged / 4, 3)
    return (path.replace("&amp;", "&"), int(every) / 1000 * slower) if path and every else None
