"""Imports a game from its files in memory, under a module name of its own, so that several versions of a game live side
by side in one process."""

import sys
from collections.abc import Iterator, Sequence
from importlib import import_module, invalidate_caches
from importlib.abc import MetaPathFinder, SourceLoader
from importlib.machinery import ModuleSpec
from importlib.resources.abc import Traversable, TraversableResources
from importlib.util import spec_from_file_location
from io import BytesIO, TextIOWrapper
from types import ModuleType
from typing import IO, Any

from tournament.games.packing import Files


class PackedPath(Traversable):
    """A file or folder of a game in memory. `shown` is what the game's folder is called in tracebacks."""

    def __init__(self, files: Files, shown: str, path: str = "") -> None:
        self._files, self._shown, self._path = files, shown, path

    def __str__(self) -> str:
        return f"{self._shown}/{self._path}".rstrip("/")

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self._path.rpartition("/")[2]

    def iterdir(self) -> Iterator["PackedPath"]:
        """What is in this folder."""
        start = f"{self._path}/" if self._path else ""
        inside = {path[len(start) :].partition("/")[0] for path in self._files if path.startswith(start)}
        return (self / name for name in sorted(inside))

    def is_file(self) -> bool:
        """Whether this is a file."""
        return self._path in self._files

    def is_dir(self) -> bool:
        """Whether this is a folder."""
        return not self._path or any(path.startswith(f"{self._path}/") for path in self._files)

    def joinpath(self, *parts: Any) -> "PackedPath":
        """What is at that path in this folder."""
        return PackedPath(self._files, self._shown, "/".join(filter(None, [self._path, *map(str, parts)])))

    def __truediv__(self, part: Any) -> "PackedPath":
        return self.joinpath(part)

    def read_bytes(self) -> bytes:
        """The content. Raises FileNotFoundError."""
        try:
            return self._files[self._path]
        except KeyError:
            raise FileNotFoundError(self._path) from None

    def read_text(self, encoding: str | None = None, errors: str | None = None) -> str:
        """The content as text. Raises FileNotFoundError."""
        return self.read_bytes().decode(encoding or "utf-8", errors or "strict")

    def open(self, mode: str = "r", *_: Any, **how: Any) -> IO[Any]:
        """The content as a file. Raises FileNotFoundError."""
        content = BytesIO(self.read_bytes())
        return content if "b" in mode else TextIOWrapper(content, **{"encoding": "utf-8", **how})


class _Resources(TraversableResources):
    def __init__(self, folder: PackedPath) -> None:
        self._folder = folder

    def files(self) -> PackedPath:
        return self._folder


class _Loader(SourceLoader):
    """Runs the modules of one package. `shown` is what the folder is called in tracebacks."""

    def __init__(self, files: Files, shown: str) -> None:
        self._files, self._shown = files, shown

    def find(self, path: str) -> str | None:
        """The file of the module with that path, if there is one."""
        names = (f"{path}/__init__.py" if path else "__init__.py", f"{path}.py")
        return next((f"{self._shown}/{name}" for name in names if name in self._files), None)

    def get_filename(self, fullname: str) -> str:
        """The file of a module of this package."""
        return self.find(_path_of(fullname)) or ""

    def get_data(self, path: str | bytes) -> bytes:
        """The content of a file."""
        try:
            return self._files[str(path).removeprefix(f"{self._shown}/")]
        except KeyError:
            raise OSError(f"{path!r} is not in the game's folder") from None

    def get_resource_reader(self, fullname: str) -> TraversableResources:
        """For `importlib.resources.files`."""
        return _Resources(PackedPath(self._files, self._shown, _path_of(fullname)))


class _Finder(MetaPathFinder):
    """Finds the packages in memory."""

    def __init__(self) -> None:
        self.loaders: dict[str, _Loader] = {}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """How to load a module of a package; None if there is no such module."""
        loader = self.loaders.get(fullname.partition(".")[0])
        file = loader.find(_path_of(fullname)) if loader else None
        if file is None:
            return None
        return spec_from_file_location(fullname, file, loader=loader)


_finder = _Finder()


def _path_of(fullname: str) -> str:
    return fullname.partition(".")[2].replace(".", "/")


def load(files: Files, name: str, shown: str) -> ModuleType:
    """Import the package under the module name `name`, again if it was imported before. Raises what it raises."""
    if _finder not in sys.meta_path:
        sys.meta_path.append(_finder)
    _forget(name)
    _finder.loaders[name] = _Loader(files, shown)
    invalidate_caches()
    try:
        return import_module(name)
    except BaseException:
        _forget(name)
        raise


def _forget(name: str) -> None:
    for each in [each for each in sys.modules if each == name or each.startswith(f"{name}.")]:
        del sys.modules[each]
    _finder.loaders.pop(name, None)
