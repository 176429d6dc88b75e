"""A line as small as a word."""

from collections.abc import Sequence

from markupsafe import escape

WIDTH, HEIGHT = 60, 16


def sparkline(values: Sequence[float], high: float, label: str) -> str:
    """A line through values from 0 to `high`, as markup; a plain string, since a leaderboard has a thousand."""
    across, tall = WIDTH / max(1, len(values) - 1), HEIGHT - 2
    points = " ".join(f"{n * across:.0f},{HEIGHT - 1 - value / high * tall:.0f}" for n, value in enumerate(values))
    view = f'viewBox="0 0 {WIDTH} {HEIGHT}"'
    return f'<svg class="spark" {view} role="img" aria-label="{escape(label)}"><polyline points="{points}"/></svg>'
