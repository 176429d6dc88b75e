"""An instructor or a tutor during a deadline night: they look at the class, read reports and replays, and mark."""

from collections.abc import Awaitable, Callable

from sandbox import patterns
from tests.load.browser import Failed, PageAnswer, token_of
from tests.load.student import SimulatedStudent

STAFF_PAGES = {
    "submissions": 2,
    "report of a student": 3,
    "marking a rubric": 3,
    "gradebook": 2,
    "queue": 1,
    "insight": 1,
    "leaderboard": 1,
    "replay": 1,
}
"""How often each page is opened, relative to the others, by those who may see it."""

AT = {"gradebook": "marks", "marking a rubric": "marks", "queue": "queue", "insight": "insight"}
"""The pages that only some roles have, by the address of each. Staff ask only for those to which they see a link."""


class SimulatedStaff(SimulatedStudent):
    """They stay on each page as long as students do, and upload nothing. Tutors have the pages that the site offers."""

    offered = frozenset[str]()

    async def live(self) -> None:
        """Sign in, and go from page to page until the night is over. Failed requests are recorded, no more."""
        pages: dict[str, Callable[[], Awaitable[None]]] = {
            "submissions": self._submissions,
            "report of a student": self._report,
            "marking a rubric": self._rubric,
            "gradebook": lambda: self._look("gradebook", "marks/"),
            "queue": lambda: self._look("queue", "queue/"),
            "insight": lambda: self._look("insight", "insight/"),
            "leaderboard": self._leaderboard,
            "replay": self._replay,
        }
        try:
            await self.sign_in()
            first = await self.browser.open("submissions", f"{self._staff_path}manage/")
        except Failed:
            return
        has = {name: weight for name, weight in STAFF_PAGES.items() if self._is_offered(name, first)}
        await self.wander(pages, has)

    @property
    def _staff_path(self) -> str:
        return f"/assignments/{self.place.assignment}/"

    def _is_offered(self, name: str, page: PageAnswer) -> bool:
        return name not in AT or f'href="{self._staff_path}{AT[name]}/"' in page.text

    async def _look(self, name: str, path: str) -> None:
        page = await self.browser.open(name, self._staff_path + path)
        await self.stay(page, f"{name} refresh")

    async def _submissions(self) -> None:
        await self._look("submissions", "manage/")

    async def _report(self) -> None:
        page = await self.browser.open("submissions", f"{self._staff_path}manage/")
        if found := patterns.compile(r'href="(/submissions/\d+/)"').findall(page.text):
            page = await self.browser.open("report of a student", self.rng.choice(found))
        await self.stay(page, "report refresh")

    async def _rubric(self) -> None:
        page = await self.browser.open("gradebook", f"{self._staff_path}marks/")
        found = patterns.compile(rf'href="({self._staff_path}marks/\d+/)"').findall(page.text)
        if not found:
            return await self.stay()
        path = self.rng.choice(found)
        page = await self.browser.open("rubric", path)
        await self.stay()
        marks = dict.fromkeys(patterns.compile(r'name="(rubric-\w+)"').findall(page.text), "1")
        fields = {"csrf_token": token_of(page), "was": page.find(r'name="was" value="(\d+)"') or "0", **marks}
        await self.browser.post("marking a rubric", path, fields, expected=(303, 409))  # 409: somebody else was faster
        return None
