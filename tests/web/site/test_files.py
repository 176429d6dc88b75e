"""The files of pages are sent from memory, as they were sent first."""

import gzip

import pytest

from tests.web.school import School

GZIP = {"Accept-Encoding": "gzip"}
OTHERS = {"large": "/static/site.css", "small": "/static/upload.js", "of_a_game": "/game-files/bo/replay.css"}


@pytest.mark.parametrize("path", OTHERS.values(), ids=OTHERS)
@pytest.mark.parametrize("headers", [{}, GZIP], ids=["plain", "packed"])
def test_the_second_answer_is_the_first(school: School, path: str, headers: dict[str, str]) -> None:
    visitor = school.browser(None)
    first, second = (visitor.get(f"{path}?v=1", headers=headers) for _ in range(2))
    for answer in (first, second):
        answer.headers.pop("Date", None)
    assert (first.status_code, first.data, [*first.headers]) == (second.status_code, second.data, [*second.headers])


def test_browsers_get_what_they_can_unpack(school: School) -> None:
    visitor = school.browser(None)
    packed, plain, again = (visitor.get("/static/site.css?v=1", headers=each) for each in (GZIP, {}, GZIP))
    assert gzip.decompress(packed.data) == plain.data == gzip.decompress(again.data)
    assert (plain.content_encoding, again.content_encoding) == (None, "gzip")


def test_other_questions_are_answered_by_the_site(school: School) -> None:
    visitor, path = school.browser(None), "/static/site.css?v=1"
    tag = visitor.get(path).headers["ETag"]
    assert visitor.get(path, headers={"If-None-Match": tag}).status_code == 304
    assert visitor.get(path, headers={"Range": "bytes=0-9"}).status_code == 206
    assert visitor.client.post(path).status_code == 405
    assert [visitor.get("/static/no.css?v=1").status_code for _ in range(2)] == [404, 404]
