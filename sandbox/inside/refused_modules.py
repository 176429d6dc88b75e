"""The modules of the standard library that players cannot import, each with the reason.

A jail lacks what these modules need. Refusing them gives the player a clear message, instead of one about a missing
shared library, and avoids stopping the player for what a module does by itself. The wall does not rely on this refusal.
Used on both sides of the wall; standard library only.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final

_REASONS: Final = {
    "players have no network": "ssl _ssl",
    "players cannot keep files, so they cannot use databases": (
        "sqlite3 _sqlite3 dbm.gnu dbm.ndbm dbm.sqlite3 _dbm _gdbm"
    ),
    "players have no terminal": "curses _curses _curses_panel readline _pyrepl.curses _pyrepl._minimal_curses",
    "players have no screen": "tkinter _tkinter turtle turtledemo idlelib",
    "players cannot make sounds": "ossaudiodev winsound",
    "players cannot see the user accounts of this machine": "pwd grp spwd crypt _crypt nis",
    "players cannot install anything": "ensurepip",
    "players cannot reach other programs, and uuid works without it": "_uuid",
    "it is only for testing Python itself": "test",
    "it is for Windows only": (
        "_msi _overlapped _winapi _wmi msilib msvcrt nt winreg asyncio.windows_events asyncio.windows_utils "
        "encodings.mbcs encodings.oem multiprocessing.popen_spawn_win32"
    ),
    "it is for Apple systems only": "_ios_support _scproxy",
    "it does not work in any version of Python 3": "lib2to3.pgen2.conv",
}
REFUSED: Final[Mapping[str, str]] = {name: why for why, names in _REASONS.items() for name in names.split()}
"""The reason why a module cannot be used, by the module's name; messages put it after a colon."""


class ModuleRefusal:
    """A finder of modules (see `sys.meta_path`) that finds none, and refuses those in `REFUSED`."""

    @staticmethod
    def find_spec(name: str, _path: object = None, _target: object = None) -> None:
        """Raise ImportError, which code that can do without the module expects."""
        if name in REFUSED:
            # `from package import module` would swallow ModuleNotFoundError, and some code expects only ImportError.
            kind = ImportError if "." in name else ModuleNotFoundError
            raise kind(f"{name} cannot be used here: {REFUSED[name]}", name=name)
