"""The option `--time-zone` of commands that make a course."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from deploy import machine
from deploy.cli.errors import BadInput
from grader.definition.local_times import UnknownZone, find_zone

AnyFunction = TypeVar("AnyFunction", bound=Callable[..., Any])


def known_zone(_context: click.Context, _option: click.Parameter, name: str | None) -> str:
    """The name of the time zone, spelt as it is known; this machine's if none is given. Raises BadInput."""
    try:
        return find_zone(machine.time_zone() if name is None else name).key
    except UnknownZone as error:
        raise BadInput(str(error)) from None


def time_zone_option(function: AnyFunction) -> AnyFunction:
    """`--time-zone`."""
    return click.option(
        "--time-zone",
        callback=known_zone,
        metavar="ZONE",
        help="Time zone of its dates, as in Australia/Melbourne. By default this machine's.",
    )(function)
