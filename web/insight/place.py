"""Where the pictures of an assignment are."""

from dataclasses import dataclass
from urllib.parse import urlencode


@dataclass(frozen=True, slots=True)
class Place:
    """`base`: the address of the page; `entry`: that of the entry with the id 0. `tournament`: the short name of the
    one that was chosen, empty for the first; it stays in every address."""

    base: str
    entry: str
    tournament: str = ""

    @property
    def query(self) -> str:
        """What all addresses end in."""
        return "?" + urlencode({"tournament": self.tournament}) if self.tournament else ""

    def link(self, picture: str, part: int) -> str:
        """The address of the list of what a part of a picture counts."""
        return f"{self.base}{picture}/{part}/{self.query}"

    def file(self, picture: str) -> str:
        """The address of a picture's figures."""
        return f"{self.base}{picture}.csv{self.query}"

    def entry_link(self, id_: int) -> str:
        """The address of an entry."""
        return self.entry.replace("/0/", f"/{id_}/", 1)
