"""Guessing a password at an installation whose site has two processes."""

import re

import psutil
import requests

from tests.whole.stack import Stack

TOGETHER = [401] * 10 + [429] * 2
"""The answers to twelve guesses, if both processes count them together."""


def refusals(stack: Stack, login: str) -> list[int]:
    """The answers to six guesses at each of the processes, the other one asleep."""
    (site,) = (each for pid in stack.running("web") if len((each := psutil.Process(pid)).children()) == 2)
    first, second = site.children()
    return [status for asleep in (first, second) for status in _six(stack.address, login, asleep)]


def _six(address: str, login: str, asleep: psutil.Process) -> list[int]:
    asleep.suspend()
    try:
        return [wrong_password(address, login) for _ in range(6)]
    finally:
        asleep.resume()


def wrong_password(address: str, login: str) -> int:
    """The status of the answer to it, over a connection of its own."""
    with requests.Session() as browser:
        form = browser.get(f"{address}/sign-in", headers={"Connection": "close"})
        token = re.search(r'name="csrf_token" value="([^"]+)"', form.text)
        assert token
        fields = {"csrf_token": token[1], "login": login, "password": "wrong"}
        return browser.post(f"{address}/sign-in", fields, headers={"Connection": "close"}).status_code
