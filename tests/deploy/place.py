"""Installations to back up, restore and upgrade: a data folder with a database of either kind, and who looks at it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

from flask import Flask
from sqlalchemy import Engine, make_url
from sqlalchemy.orm import sessionmaker

from deploy.migrations import migrate
from deploy.processes.site import make_site
from deploy.settings import Settings, load
from tests.web import records, reports
from tests.web.school import Browser, School
from tests.web.templates import TEMPLATES
from tournament.store.database import Sessions, connect

LINK = re.compile(r'href="(/[^"#]*)"')


def shape(path: str) -> str:
    """What pages of one kind have in common."""
    return re.sub(r"\d+", "N", path.partition("?")[0])


@dataclass(frozen=True)
class Place:
    """An installation."""

    settings: Settings

    @cached_property
    def sessions(self) -> Sessions:
        """Sessions on its database."""
        return sessionmaker(connect(self.settings.database))

    @cached_property
    def site(self) -> Flask:
        """Its site."""
        site = make_site(self.settings)
        site.jinja_env.bytecode_cache = TEMPLATES
        return site

    def pages(self, login: str) -> Mapping[str, int]:
        """A page of each kind that this person finds by following links, with the status of the answer."""
        browser = Browser(self.site)
        assert browser.sign_in(login).status_code == 303
        found: dict[str, int] = {}
        ahead = ["/"]
        while ahead:
            path = ahead.pop()
            reply = browser.get(path, follow_redirects=True)
            found[path] = reply.status_code
            if reply.mimetype == "text/html":
                shapes = {shape(known) for known in (*found, *ahead)}
                ahead += {shape(link): link for link in LINK.findall(reply.text) if shape(link) not in shapes}.values()
        return found


def migrated(url: str) -> Engine:
    """The engine of a new database with the tables that the migrations make. SQLite's is a copy of such a database: the
    migrations take longer than most tests."""
    engine, file = connect(url), make_url(url).database
    if engine.dialect.name == "sqlite" and file:
        Path(file).write_bytes(_migrated_file())
    else:
        migrate(engine)
    return engine


@cache
def _migrated_file() -> bytes:
    with TemporaryDirectory() as folder:
        file = Path(folder, "quadrille.sqlite")
        engine = connect(f"sqlite:///{file}")
        migrate(engine)
        engine.dispose()
        return file.read_bytes()


def place(folder: Path, url: str = "", lines: str = "") -> Place:
    """An installation with that database and these settings."""
    folder.mkdir()
    (folder / "settings.env").write_text(f"QUADRILLE_DATABASE_URL={url}\n{lines}")
    return Place(load(folder))


def used(new: Place) -> School:
    """A class in it: entries, a game, reports, a submission that waits."""
    migrated(new.settings.database).dispose()
    school = School(new.site, new.sessions, [])
    ada, ben = school.enter("ada"), school.enter("ben")
    school.play(ada, ben, *school.bots()[:2], record=records.whole())
    school.graded("ada", reports.good())
    school.graded("cleo", reports.bad())
    school.upload("cleo", "naïve = '\N{WHITE SMILING FACE}'\n".encode(), wants_entry=True)
    return school
