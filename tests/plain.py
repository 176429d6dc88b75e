"""Plain data of every kind, for property-based tests."""

from typing import Any

from hypothesis import strategies as st

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5)


def plain_values() -> st.SearchStrategy[Any]:
    """Values of all types that can be sent, nested."""
    return st.recursive(
        scalars,
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.lists(inner, max_size=4).map(tuple)
            | st.dictionaries(st.text(max_size=3) | st.integers(), inner, max_size=3)
            | st.sets(st.integers() | st.text(max_size=3), max_size=3)
        ),
        max_leaves=12,
    )
