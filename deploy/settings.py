"""Every setting of an installation, in one place.

A setting is an environment variable `QUADRILLE_<NAME>`, or a line of the same form in `settings.env` in the data
folder; the environment takes precedence. `QUADRILLE_LIMITS__CALL_S=2` sets one of the limits. A setting that is in
neither place is read from a file of that name, in upper or lower case, in `/run/secrets`, where containers find their
secrets.

Every command imports this module, so modules that take long to import are imported only where they are used.
"""

import os
import secrets
import socket
from dataclasses import fields
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Final, Literal
from urllib.parse import quote, unquote, urlsplit

import psutil
from dotenv.parser import parse_stream
from pydantic import Field, ValidationError, ValidationInfo, field_validator
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from deploy.age import PublicKeys
from deploy.machine import MEMORY, PROCESSORS, private_text
from sandbox import patterns
from sandbox.api import Limits
from tournament.store.validation import must_be
from web.sign_on import provider
from web.sign_on.provider import Provider
from web.site.host_name import LOOPBACK, name_of

Days = Annotated[int, Field(ge=0, le=36_500)]
Processes = Annotated[int, Field(ge=1, le=64 * PROCESSORS)]
LONGEST_S: Final = 24 * 3600
SECRETS: Final = Path("/run/secrets")
FILE: Final = "settings.env"  # in the data folder
COUNTS: Final = "limits.db"  # in the data folder
DATABASES: Final = ("postgresql+psycopg", "postgresql", "sqlite")
BROKERS: Final = ("redis", "rediss")
EVERYWHERE: Final = ("0.0.0.0", "::", "")  # noqa: S104  # what is listened on, not where
UNTOLD: Final = ("url", "password", "token", "sign_on", "mail_bounces", "backup_key")
"""Settings whose names end like this are secret: a message about a wrong value does not repeat the value."""
PARTS: Final = "must be set part by part, e.g. QUADRILLE_LIMITS__CALL_S=2"


class BadSettings(Exception):
    """Settings that cannot be used; each of `mistakes` names one setting and its allowed values."""

    def __init__(self, *mistakes: str) -> None:
        super().__init__("; ".join(mistakes))
        self.mistakes = mistakes


def parts_of(text: str) -> list[str]:
    """Return the parts of a setting, separated by commas or spaces."""
    return text.replace(",", " ").split()


def host_names(text: str) -> frozenset[str]:
    """Return the names in a setting: hosts or addresses, with or without schemes and ports, separated by commas or
    spaces.

    Raises ValueError.
    """
    found = {each.rpartition("://")[2].rstrip("/") for each in parts_of(text)}
    plain = {name_of(each if each.count(":") < 2 or "[" in each else f"[{each}]") for each in found}
    if "" in plain:
        raise ValueError("must be names such as quadrille.example, apart by commas")
    return frozenset(each.encode("idna").decode() if not each.isascii() else each for each in plain)


class Settings(BaseSettings):
    """The settings of an installation. Use `load` to create them."""

    model_config = SettingsConfigDict(
        env_prefix="QUADRILLE_", env_nested_delimiter="__", env_ignore_empty=True, frozen=True
    )

    data: Path = Field(Path("data"), description="folder for the database, the queue, the keys and the log-ins")
    database_url: str = Field("", description="SQLAlchemy URL; empty: SQLite in the data folder")
    broker_url: str = Field("", description="redis://…; empty: a queue of files in the data folder")
    database_password: str = Field("", repr=False, description="password of the database, if its URL has none")
    broker_password: str = Field("", repr=False, description="password of the broker, if its URL has none")
    host: str = Field("127.0.0.1", description="address that the site listens on")
    port: int = Field(8000, ge=0, le=65535, description="port that the site listens on; 0 takes a free one")
    site: str = Field("", description="the site's name, e.g. https://NAME")
    hosts: str = Field(
        "", description="host names that the site answers to; empty: QUADRILLE_SITE and where it listens"
    )
    secure_cookies: bool = Field(False, description="send cookies over HTTPS only; set it behind a TLS proxy")
    plain_http: bool = Field(
        False, description="let others reach the site without HTTPS: passwords can be read on the way"
    )
    proxies: int = Field(
        0, ge=0, le=100, description="reverse proxies in front of the site, each of which forwards the client's address"
    )
    demo: bool = Field(False, description="fill an empty database with a demonstration class")
    new_courses: bool = Field(True, description="let instructors make courses on the site")
    web_threads: Annotated[int, Field(ge=1, le=1000)] = Field(
        16, description="requests that one process of the site serves at once"
    )
    web_processes: Processes = Field(2, description="processes of the site")
    request_s: float = Field(
        60, ge=1, le=3600, description="seconds within which a request must arrive, header and body"
    )
    grading_processes: Processes = Field(1, description="submissions graded at once on this machine")
    playing_processes: Processes = Field(
        max(1, (os.cpu_count() or 2) - 1), description="blocks of games played at once on this machine"
    )
    log: Literal["debug", "info", "warning", "error"] = Field("info", description="least severe level that is logged")
    log_format: Literal["plain", "json"] = Field(
        "plain", description="log format: plain for people, or one JSON object a line"
    )
    game_key: str = Field(
        "", description="the public key that added games must be signed with, as `quadrille game key` prints it"
    )
    metrics_token: str = Field("", repr=False, description="bearer token that may read /metrics")
    backup_key: PublicKeys = Field("", description="public keys of age for which backups are encrypted; empty: none")
    mail_host: str = Field("", description="mail server; empty: no e-mail is sent")
    mail_port: int = Field(587, ge=1, le=65535, description="port of the mail server")
    mail_security: Literal["starttls", "tls", "none"] = Field(
        "starttls", description="encryption of the connection to the mail server; none only for one on this machine"
    )
    mail_user: str = Field("", description="user name for the mail server; empty: it asks for none")
    mail_password: str = Field("", repr=False, description="password for the mail server")
    mail_from: str = Field("", description="sender of e-mail")
    mail_bounces: str = Field(
        "", repr=False, description="mailbox to which e-mail comes back, as imaps://user:password@host/INBOX"
    )
    mail_to: str = Field("", description="addresses that get alerts, with commas between")
    internal_hosts: str = Field(
        "", description="hosts in internal networks that instructors may name, with commas between"
    )
    sign_on: Annotated[tuple[Provider, ...], NoDecode] = Field(
        (), repr=False, description="providers of single sign-on, as JSON"
    )
    lti: str = Field(
        "", description="logins of those who connect learning management systems, with commas between; empty: no LTI"
    )
    emergency_login: str = Field("", description="who alone may use a password, if QUADRILLE_PASSWORDS is emergency")
    passwords: Literal["everybody", "emergency"] = Field("everybody", description="who signs in with a password")
    keep_work_days: Days = Field(365, description="days after a course has ended for which its marks' basis is kept")
    forget_days: Days = Field(0, description="days after a course has ended until its students are forgotten; 0: never")
    archive_days: Days = Field(0, description="days after a course has ended until it is archived; 0: never")
    thin_days: Days = Field(0, description="days until games of former entries keep only their results; 0: never")
    access_log_days: Days = Field(365, description="days for which it is kept who opened whose work; 0: it is not")
    access_log_shown: bool = Field(True, description="show people which staff opened their work")
    imprint: str = Field("", description="file with the imprint, in Markdown")
    privacy_text: str = Field("", description="file with the privacy text, in Markdown")
    consent: bool = Field(False, description="ask people to agree to the privacy text when they first sign in")
    second_factor: Literal["off", "offered", "staff"] = Field(
        "off", description="whether people may have a second factor besides their password, or staff must"
    )
    sandbox: str = Field("auto", description="sandbox for students' code; auto takes one that works")
    runner: Path = Field(Path("/run/quadrille"), description="folder with the runner's socket, for the sandbox docker")
    limits: Limits = Field(Limits(), description="limits of a player, see sandbox.api.Limits")

    @field_validator("database_url")
    @classmethod
    def _is_a_database(cls, url: str) -> str:
        if not url:
            return url
        from sqlalchemy.engine import make_url
        from sqlalchemy.exc import ArgumentError

        try:
            parts = make_url(url)
            known = parts.drivername in DATABASES
        except (ArgumentError, ValueError):  # ValueError: the port is not a number
            known = False
        if not known:
            raise ValueError("must look like postgresql+psycopg://quadrille@host:5432/quadrille")
        if parts.drivername == "sqlite" and parts.database in (None, "", ":memory:"):
            raise ValueError("names no file; processes can only share one, e.g. sqlite:////srv/quadrille.sqlite")
        return url

    @field_validator("broker_url")
    @classmethod
    def _is_a_broker(cls, url: str) -> str:
        try:
            parts = urlsplit(url)
            number = parts.path.removeprefix("/")  # a Redis has several databases
            known = not url or (
                parts.scheme in BROKERS
                and bool(parts.hostname)
                and parts.port != 0
                and (not number or number.isdecimal())
            )
        except ValueError:  # the port is not a number
            known = False
        if not known:
            raise ValueError("must look like redis://host:6379/0")
        return url

    @field_validator("mail_bounces")
    @classmethod
    def _is_a_mailbox(cls, url: str) -> str:
        try:
            parts = urlsplit(url)
            known = parts.scheme == "imaps" and parts.hostname and parts.username and parts.password and parts.port != 0
            folder = unquote(parts.path)
        except ValueError:  # the port is not a number
            known = False
        if url and not (known and folder.isascii() and folder.isprintable() and not {*'"\\'} & {*folder}):
            raise ValueError("must look like imaps://user:password@host/INBOX, with % escapes for other characters")
        return url

    @field_validator("site", "hosts", "internal_hosts")
    @classmethod
    def _are_names(cls, text: str) -> str:
        host_names(text)
        return text

    @field_validator("game_key")
    @classmethod
    def _is_a_public_key(cls, text: str) -> str:
        if text and not patterns.compile("[0-9a-f]{64}").fullmatch(text.strip()):
            raise ValueError("must be 64 hexadecimal digits, as `quadrille game key` prints them")
        return text.strip()

    @field_validator("sign_on", mode="before")
    @classmethod
    def _is_a_list(cls, value: object) -> object:
        return provider.listed(value)

    @field_validator("sign_on")
    @classmethod
    def _are_apart(cls, providers: tuple[Provider, ...]) -> tuple[Provider, ...]:
        return provider.apart(providers)

    @field_validator("passwords")
    @classmethod
    def _leaves_a_way_in(cls, who: str, given: ValidationInfo) -> str:
        if who == "emergency" and not (given.data.get("sign_on") and given.data.get("emergency_login")):
            raise ValueError("needs QUADRILLE_SIGN_ON and QUADRILLE_EMERGENCY_LOGIN, or nobody could sign in")
        return who

    @field_validator("consent")
    @classmethod
    def _has_a_text(cls, asked: bool, given: ValidationInfo) -> bool:
        if asked and not given.data.get("privacy_text"):
            raise ValueError("needs QUADRILLE_PRIVACY_TEXT, to which people agree")
        return asked

    @field_validator("sandbox")
    @classmethod
    def _is_a_jail(cls, name: str) -> str:
        if name != "auto":
            from sandbox.backends import BACKENDS

            jails = ["auto", *(backend for backend in BACKENDS if backend != "trusted")]
            if name not in jails:
                raise ValueError(f"must be one of {', '.join(jails)}")
        return name

    @field_validator("limits")
    @classmethod
    def _can_be_kept(cls, limits: Limits) -> Limits:
        for each in fields(limits):
            value, size = getattr(limits, each.name), each.type is int
            most = MEMORY if size else LONGEST_S
            if not 0 < value <= most:  # this also refuses NaN
                unit = f"the {most} bytes that this machine has" if size else most
                raise ValueError(f"{each.name.upper()} is {value}: it must be above zero, and at most {unit}")
        return limits

    @property
    def database(self) -> str:
        """The database's URL, with its password."""
        url = self.database_url or f"sqlite:///{self.data / 'quadrille.sqlite'}"
        return _with_password(url, self.database_password)

    @property
    def broker(self) -> str:
        """The broker's URL; "" for a queue of files in the data folder."""
        return _with_password(self.broker_url, self.broker_password)

    @property
    def rate_limits(self) -> str:
        """The address of the storage in which the site's processes count requests: Redis if there is one, otherwise a
        file."""
        if self.broker.startswith("redis"):
            return self.broker
        from deploy import rate_limits

        return rate_limits.uri(self.data / COUNTS)

    @property
    def answers_to(self) -> frozenset[str]:
        """The names under which the site answers: those in QUADRILLE_HOSTS, or else those in QUADRILLE_SITE and of the
        address where it listens. This machine can always use its loopback names."""
        if self.hosts:
            return LOOPBACK | host_names(self.hosts)
        listening = _names_of_this_machine() if self.host in EVERYWHERE else host_names(self.host)
        return LOOPBACK | host_names(self.site) | listening

    @property
    def address(self) -> str:
        """The site's address for links in e-mail, without a slash at its end; "" if QUADRILLE_SITE is not set."""
        first = next(iter(parts_of(self.site)), "")
        return (first if not first or "://" in first else f"https://{first}").rstrip("/")

    @property
    def secret_key(self) -> str:
        """The key that signs sessions. It is created on first use and kept in the data folder, readable by its owner
        alone."""
        return private_text(self.data / "secret-key", lambda: secrets.token_urlsafe(48))

    @property
    def game_key_file(self) -> Path:
        """The file with the private key that signs added games, on the host where the operator adds them."""
        return self.data / "game-key"

    @property
    def signing_key(self) -> str:
        """The private key that signs added games; created and kept like the secret key."""
        from tournament.games.signing import new_key

        return private_text(self.game_key_file, new_key)

    @property
    def record_key(self) -> str:
        """The private key that signs records of finals; created and kept like the secret key."""
        from tournament.games.signing import new_key

        return private_text(self.data / "record-key", new_key)


def data_folder() -> Path:
    """Return the data folder that is used unless a command names another one."""
    return Path(os.environ.get("QUADRILLE_DATA") or "data").absolute()


def load(data: Path | None = None) -> Settings:
    """Return the settings of the installation in `data` (by default `QUADRILLE_DATA`, or `data` in the current folder).
    The folder is created if needed. Raises BadSettings."""
    folder = (data or data_folder()).absolute()
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise BadSettings(f"the data folder {folder} cannot be used: {error.strerror}") from error
    return read(folder)


def read(folder: Path) -> Settings:
    """Return the settings of the installation in that folder, which need not exist. Raises BadSettings."""
    file = folder / FILE
    try:
        if file.exists():
            with file.open(encoding="utf-8") as text:
                bad = [line for line in parse_stream(text) if line.error or (line.key and line.value is None)]
            if bad:  # such lines set nothing, and the library would ignore them
                mistakes = [f"{file}, line {each.original.line}: must look like QUADRILLE_PORT=8000" for each in bad]
                raise BadSettings(*mistakes)
        secrets_folder = SECRETS if SECRETS.is_dir() else None
        return Settings(_env_file=file, _secrets_dir=secrets_folder, data=folder)
    except OSError as error:
        raise BadSettings(f"the settings in {folder} cannot be read: {error.strerror} ({error.filename})") from error
    except UnicodeDecodeError as error:
        raise BadSettings(f"the settings in {folder} cannot be read: {file} is not UTF-8 text") from error
    except ValidationError as error:
        raise BadSettings(*map(_explain, error.errors())) from error


def _with_password(url: str, password: str) -> str:
    """Return the URL with that password added, unless there is no password or the URL already has one."""
    parts = urlsplit(url)
    if not password or not parts.netloc or parts.password is not None:
        return url
    user, _, host = parts.netloc.rpartition("@")
    return parts._replace(netloc=f"{user}:{quote(password, safe='')}@{host}").geturl()


def _explain(error: ErrorDetails) -> str:
    name = "__".join(str(part) for part in error["loc"]).upper().removeprefix("QUADRILLE_")
    field, *place = error["loc"]
    if place and str(field).lower().endswith("sign_on"):
        number, part = int(place[0]) + 1, "".join(f", {each}" for each in place[1:2])
        return f"QUADRILLE_SIGN_ON, provider {number}{part}: {must_be(error)} (see docs/single-sign-on.md)"
    known = [*Settings.model_fields, *(f"limits__{each.name}" for each in fields(Limits))]
    if name.lower() not in known:
        close = get_close_matches(name.lower(), known, n=1)
        return f"QUADRILLE_{name}: there is no such setting" + (
            f"; did you mean QUADRILLE_{close[0].upper()}?" if close else ""
        )
    told = isinstance(error["input"], str) and not name.lower().endswith(UNTOLD)
    value = f" is {error['input']!r}" if told else ""
    meaning = Settings.model_fields[name.partition("__")[0].lower()].description
    words = PARTS if error["type"] == "dataclass_type" else must_be(error)
    return f"QUADRILLE_{name}{value}: {words} ({meaning})"


def _names_of_this_machine() -> frozenset[str]:
    addresses = [each for found in psutil.net_if_addrs().values() for each in found]
    own = (each.address.partition("%")[0] for each in addresses if each.family in (socket.AF_INET, socket.AF_INET6))
    return frozenset({socket.gethostname().lower(), socket.getfqdn().lower(), *own})
