"""The languages of program questions."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from grader.languages.c11 import C11
from grader.languages.cpp17 import CPP17
from grader.languages.language import Language
from grader.languages.python3 import PYTHON3

LANGUAGES: Final[Mapping[str, Language]] = MappingProxyType({each.slug: each for each in (CPP17, C11, PYTHON3)})
"""Languages by slug, in the order in which they are offered."""
