"""Packages in folders and zips, and what must not be read from them."""

import stat
import zipfile
from pathlib import Path

import pytest

from grader.authoring.problem_packages.package import PackageError, open_package, size
from tests.grader.authoring.problem_packages.packages import imported, written, zipped


@pytest.mark.parametrize("top", ["", "double/", "a/double/"])
def test_a_zip_is_read_like_its_folder(top: str, tmp_path: Path) -> None:
    package = written(tmp_path, {"__MACOSX/problem.yaml": "x", ".git/config": "x"})
    assert imported(zipped(package, top)) == imported(package)


def test_a_package_is_named_after_its_folder_or_its_zip(tmp_path: Path) -> None:
    package = written(tmp_path, name="twice")
    assert open_package(package).name == open_package(zipped(package)).name == "twice"
    assert open_package(zipped(package, "two/")).name == "two"


def test_a_link_counts_as_the_file_that_it_leads_to(tmp_path: Path) -> None:
    package = written(tmp_path, {"data/secret/03.ans": "10\n"})
    (package / "data/secret/03.in").symlink_to("01.in")
    assert imported(package).question.cases[-1].input == "5\n"


def test_a_link_in_a_zip_counts_as_the_file_that_it_leads_to(tmp_path: Path) -> None:
    package = zipped(written(tmp_path, {"data/secret/03.ans": "10\n"}))
    add_link(package, "data/secret/03.in", "../secret/01.in")
    assert imported(package).question.cases[-1].input == "5\n"


@pytest.mark.parametrize("target", ["/etc/passwd", "../../../outside", "missing"])
def test_a_link_that_leads_elsewhere_is_refused(target: str, tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("secret")
    package = written(tmp_path)
    add_link(zipped(package), "data/secret/03.in", target)
    (package / "data/secret/03.in").symlink_to(target)
    for each in (package, package.with_suffix(".zip")):
        with pytest.raises(PackageError, match=r"data/secret/03\.in(: It)? is a link"):
            open_package(each)


def test_a_bomb_is_not_unpacked(tmp_path: Path) -> None:
    package = zipped(written(tmp_path, {"data/secret/01.in": "0" * (64 << 20)}))
    assert package.stat().st_size < 1 << 20
    with pytest.raises(PackageError, match=r"01\.in has 64 MiB"):
        imported(package)


def test_what_is_not_a_package_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(b"PK\x03\x04 damaged")
    (tmp_path / "empty").mkdir()
    for name, reason in (
        ("a.zip", "damaged or not an ordinary zip. Make a zip of the package's folder"),
        ("empty", "no problem.yaml"),
        ("none", "cannot be read"),
    ):
        with pytest.raises(PackageError, match=reason):
            open_package(tmp_path / name)


@pytest.mark.parametrize(("count", "shown"), [(12, "12 bytes"), (3 << 10, "3 KiB"), (1_600_000, "1.5 MiB")])
def test_sizes_are_shown_in_the_unit_that_suits_them(count: int, shown: str) -> None:
    assert size(count) == shown


def add_link(package: Path, name: str, target: str) -> None:
    info = zipfile.ZipInfo(name)
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(package, "a") as archive:
        archive.writestr(info, target)
