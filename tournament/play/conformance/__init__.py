"""What every game must keep, whatever its rules: the contract of `tournament.games.api`, as checks that need no test
tools. `quadrille game check` runs them on a folder, and the tests run them on the built-in games."""

from tournament.play.conformance.checks import CHECKS, FIRST, run
from tournament.play.conformance.flaws import Flaw
from tournament.play.conformance.sample import Sample

__all__ = ["CHECKS", "FIRST", "Flaw", "Sample", "run"]
