"""Guessing a password at an installation whose site has two processes."""

import re

import psutil
import requests

from tests.whole.stack import Stack

GUESSES = 18
TOGETHER = [401] * 11 + [429] * (GUESSES - 11)
"""The answers, if both processes count them together. If each counted for itself, nearly all would be 401: the kernel
spreads connections over the processes."""


def refusals(stack: Stack, login: str) -> list[int]:
    """The answers to guesses, over a connection of its own each."""
    assert any(len(psutil.Process(pid).children()) == 2 for pid in stack.running("web"))
    return [wrong_password(stack.address, login) for _ in range(GUESSES)]


def wrong_password(address: str, login: str) -> int:
    """The status of the answer to it."""
    with requests.Session() as browser:
        form = browser.get(f"{address}/sign-in", headers={"Connection": "close"}, timeout=60)
        token = re.search(r'name="csrf_token" value="([^"]+)"', form.text)
        assert token
        fields = {"csrf_token": token[1], "login": login, "password": "wrong"}
        closing = {"Connection": "close"}
        return browser.post(f"{address}/sign-in", fields, headers=closing, timeout=60).status_code
