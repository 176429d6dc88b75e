"""What processes count while they work. `tournament.work.tally` adds up the counts of all of them."""

from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics

disable_created_metrics()  # type: ignore[no-untyped-call]

COUNTED = CollectorRegistry()
"""The counts of this process since it started."""

SECONDS = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0)

GAMES = Counter("quadrille_games", "Games that were played and stored.", ["game", "phase"], registry=COUNTED)
PLAYS = Counter("quadrille_plays", "Plays of those games.", ["game", "phase"], registry=COUNTED)
VERDICTS = Counter(
    "quadrille_verdicts",
    "Verdicts: of every case that was graded, and of every disqualification in a game.",
    ["phase", "verdict"],
    registry=COUNTED,
)
GRADED = Histogram(
    "quadrille_grading_seconds",
    "From an upload to its report, in seconds.",
    registry=COUNTED,
    buckets=SECONDS,
)
DEATHS = Counter(
    "quadrille_deaths", "Processes that died, or hung and were killed.", ["queue"], registry=COUNTED
)  # fmt: skip
SANDBOX_STARTS = Counter(
    "quadrille_sandbox_starts", "Players that were started in a sandbox.", ["sandbox"], registry=COUNTED
)
INTERNAL_ERRORS = Counter(
    "quadrille_faults", "Jobs that failed by an internal error, and were given back or parked.", ["phase"],
    registry=COUNTED,
)  # fmt: skip
