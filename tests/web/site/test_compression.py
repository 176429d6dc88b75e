"""Large answers are sent small to browsers that take them so."""

import gzip

import pytest

from tests.web.school import School

GZIP = {"Accept-Encoding": "gzip, br"}


@pytest.mark.parametrize("path", ["/tournaments/{tournament}/", "/tournaments/{tournament}/board", "/static/site.css"])
def test_the_same_with_and_without(school: School, path: str) -> None:
    school.enter("ben")
    browser, path = school.browser("ada"), path.format(tournament=school.tournament)
    plain, small = browser.get(path), browser.get(path, headers=GZIP)
    assert plain.content_encoding is None
    assert small.content_encoding == "gzip"
    assert gzip.decompress(small.data)[-100:] == plain.data[-100:]
    assert len(small.data) * 2 < len(plain.data)
    assert small.content_length == len(small.data)
    for answer in (plain, small):
        assert "Accept-Encoding" in answer.vary


def test_a_definition_is_sent_small(school: School) -> None:
    headers = {"Authorization": f"Bearer {school.token('ines')}"}
    client, path = school.app.test_client(), f"/api/v1/assignments/{school.assignment}/versions/1"
    plain, small = client.get(path, headers=headers), client.get(path, headers={**headers, **GZIP})
    assert (small.content_encoding, gzip.decompress(small.data)) == ("gzip", plain.data)


def test_unchanged_it_is_not_sent_at_all(school: School) -> None:
    browser, path = school.browser("ada"), f"/tournaments/{school.tournament}/board"
    tag = browser.get(path, headers=GZIP).headers["ETag"]
    answer = browser.get(path, headers={**GZIP, "If-None-Match": tag})
    assert (answer.status_code, answer.data) == (304, b"")


def test_beside_what_a_visitor_wrote_nothing_is_compressed(school: School) -> None:
    answer = school.browser(None).get("/sign-in?next=/account/" + "x" * 4000, headers=GZIP)
    assert answer.content_encoding is None
    answer = school.browser("ada").get(f"/tournaments/{school.tournament}/?find=" + "x" * 50, headers=GZIP)
    assert answer.content_encoding is None
