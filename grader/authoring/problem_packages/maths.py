"""Formulas in statements: simple formulas become text (1 ≤ n ≤ 10⁵), others stay as LaTeX in `$…$`."""

from collections.abc import Iterator
from typing import Final

from sandbox import patterns

_SIGNS: Final = (
    "le=≤ leq=≤ leqslant=≤ ge=≥ geq=≥ geqslant=≥ ne=≠ neq=≠ lt=< gt=> approx=≈ equiv=≡ in=∈ to=→ rightarrow=→ "
    "times=× pm=±"
)
_LETTERS: Final = (
    "cdot=· ldots=… dots=… cdots=… infty=∞ alpha=α beta=β gamma=γ delta=δ epsilon=ε varepsilon=ε lambda=λ mu=μ "
    "pi=π sigma=σ theta=θ phi=φ omega=ω Delta=Δ Sigma=Σ"
)
_SYMBOLS: Final = {
    **{name: f" {sign} " for name, _, sign in (each.partition("=") for each in _SIGNS.split())},
    **{name: sign for name, _, sign in (each.partition("=") for each in _LETTERS.split())},
    "log": "log ",
    **{each: each for each in ("min", "max", "gcd", *"%$&#_{}")},
    **dict.fromkeys(("quad", "qquad", *",;: "), " "),
    **dict.fromkeys(("left", "right", "!"), ""),
}
_TEXTS: Final = ("text", "textrm", "mathrm", "mathit", "textit", "mathbf", "texttt", "mbox", "operatorname")
_HIGH: Final = str.maketrans("0123456789+-n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ")
_LOW: Final = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")

_TOKEN: Final = patterns.compile(
    rf"\\(?P<styled>{'|'.join(_TEXTS)})\s*\{{(?P<text>[^{{}}\\$]*)\}}"
    r"|\\(?P<name>[A-Za-z]+|.)\s*"
    r"|(?P<level>[\^_])\s*(?:\{(?P<several>[^{}\\^_]*)\}|(?P<one>[^{}\\\s]))"
    r"|(?P<other>[{}~&])|(?P<space>\s+)|(?P<plain>[^\\^_{}~&\s]+)"
)
_IN_MARKDOWN: Final = patterns.compile(
    r"(?s)(?P<kept>```.*?```|`[^`\n]*`|\\\$)|\$\$(?P<shown>.+?)\$\$|\$(?P<inline>[^$\s](?:[^$\n]*[^$\s])?)\$(?P<digit>\d?)"
)
"""Recognises formulas by pandoc's rules: `$5 and $6` contains no formula."""

_SPECIAL: Final = patterns.compile(r"([\\`*_\[\]<>])")


def escaped(text: str) -> str:
    """Return Markdown that displays this text literally."""
    return _SPECIAL.sub(r"\\\1", text)


def formula(latex: str) -> str:
    """Convert a formula to Markdown, as plain text if that has the same meaning."""
    parts = [_token_text(token) for token in _formula_tokens(latex.strip())]
    if None not in parts:
        return escaped(" ".join(each for each in "".join(filter(None, parts)).split(" ") if each))
    source = " ".join(latex.split())
    return f"`${source}$`" if "`" not in source else escaped(f"${source}$")


def with_formulas(markdown: str) -> str:
    """Make the formulas between dollar signs readable in Markdown. Code is left unchanged."""

    def shown(found: patterns.Match[str]) -> str:
        return found[0] if found["kept"] or found["digit"] else formula(found["shown"] or found["inline"])

    return _IN_MARKDOWN.sub(shown, markdown)


def _formula_tokens(latex: str) -> Iterator[patterns.Match[str] | None]:
    """Yield the tokens of a formula, followed by None if the rest cannot be parsed."""
    at = 0
    for token in _TOKEN.finditer(latex):
        if token.start() != at:
            break
        yield token
        at = token.end()
    if at < len(latex):
        yield None


def _token_text(token: patterns.Match[str] | None) -> str | None:
    if token is None or token["other"]:
        return " " if token is not None and token["other"] == "~" else None
    if token["styled"]:
        return token["text"]
    if token["name"]:
        return _SYMBOLS.get(token["name"])
    if token["level"]:
        return _raised(token["level"], token["several"] if token["several"] is not None else token["one"])
    return " " if token["space"] else token["plain"]


def _raised(level: str, script: str) -> str | None:
    """Return a superscript or subscript in Unicode characters or, for a single character without such a form, with `^`
    or `_`; otherwise None."""
    small = script.translate(_HIGH if level == "^" else _LOW)
    if small != script and not set(small) & set(script):
        return small
    return f"{level}{script}" if len(script) == 1 else None
