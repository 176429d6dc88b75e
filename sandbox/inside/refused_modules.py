"""The modules of the standard library that players cannot import, each with the reason.

What they would need is not there, and a player shall be told so instead of being told about a missing library, or
stopped for what a module does on its own. This is for the words alone: the wall does not rely on it. Used on both sides
of the wall; standard library only.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final

_REASONS: Final = {
    "players have no network": "ssl _ssl",
    "players cannot keep files, and so no databases": ("sqlite3 _sqlite3 dbm.gnu dbm.ndbm dbm.sqlite3 _dbm _gdbm"),
    "players have no terminal": "curses _curses _curses_panel readline _pyrepl.curses _pyrepl._minimal_curses",
    "players have no screen": "tkinter _tkinter turtle turtledemo idlelib",
    "players cannot make sounds": "ossaudiodev winsound",
    "players are not told about the users of this machine": "pwd grp spwd crypt _crypt nis",
    "players cannot install anything": "ensurepip",
    "players reach no other programs, and uuid can do without it": "_uuid",
    "it is there to test Python itself": "test",
    "it is for Windows only": (
        "_msi _overlapped _winapi _wmi msilib msvcrt nt winreg asyncio.windows_events asyncio.windows_utils "
        "encodings.mbcs encodings.oem multiprocessing.popen_spawn_win32"
    ),
    "it is for Apple's systems only": "_ios_support _scproxy",
    "it works in no version of Python 3": "lib2to3.pgen2.conv",
}
REFUSED: Final[Mapping[str, str]] = {name: why for why, names in _REASONS.items() for name in names.split()}
"""By the name of the module: why it cannot be used, to be put behind a colon."""


class Refusal:
    """A finder of modules (see `sys.meta_path`) that finds none, and refuses those."""

    @staticmethod
    def find_spec(name: str, _path: object = None, _target: object = None) -> None:
        """Raises ImportError: what those wait for who can do without the module."""
        if name in REFUSED:
            # `from package import module` would keep the other kind to itself, and some wait for nothing else.
            kind = ImportError if "." in name else ModuleNotFoundError
            raise kind(f"{name} cannot be used here: {REFUSED[name]}", name=name)
