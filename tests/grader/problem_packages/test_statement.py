"""Statements in LaTeX and Markdown as Markdown."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.problem_packages.errors import PackageError
from grader.problem_packages.latex import to_markdown
from grader.problem_packages.maths import formula, with_formulas
from tests.grader.problem_packages.packages import imported, written
from web.site.rendering.assets import markdown

TEX = "problem_statement/problem.tex"

LATEX = [
    ("Two\nlines % and a remark\n\nTwo paragraphs", "Two lines\n\nTwo paragraphs"),
    (r"\section*{Input}One.\subsection{More}", "#### Input\n\nOne.\n\n##### More"),
    (r"\emph{a} \textbf{b c} {\bf d} {\it e} {\tt f\_g} \texttt{h}", "*a* **b c** **d** *e* `f_g` `h`"),
    (r"``so'' `so' 10\,000~\% \#\& \ldots{} Erd\H{o}s a -- b", "“so” ‘so’ 10 000 % #& … Erdős a – b"),
    (r"a_b * c \textless{}", r"a\_b \* c \<"),
    ("x\n\n1. no list\n\n- nor this\n\n# nor this", "x\n\n1\\. no list\n\n\\- nor this\n\n\\# nor this"),
    (r"\begin{itemize}\item a\item b \begin{enumerate}\item c\end{enumerate}\end{itemize}", "- a\n- b\n\n  1. c"),
    ("\\begin{verbatim}\n a  \\b\n$\n\\end{verbatim}", "```\n a  \\b\n$\n```"),
    (r"\verb|a_b|", "`a_b`"),
    (r"\begin{tabular}{|l|r|}\hline a & b|c \\ 1 & $n$ \\ \end{tabular}", "| a | b\\|c |\n| --- | --- |\n| 1 | n |"),
    (r"\url{http://a.b/c_d} \href{http://a.b}{here}", "<http://a.b/c_d> [here](<http://a.b>)"),
    (r"\problemname{Not here}\noindent x\footnote{why}\\y", "x (why)\\\ny"),
    (r"\begin{center}x\end{center}", "x"),
    ("\\begin{quote}a\n\nb\\end{quote}", "> a\n>\n> b"),
    (r"a \[ \sum_{i=1}^n i \] b", "a\n\n`$\\sum_{i=1}^n i$`\n\nb"),
    (r"\begin{equation} a \le b \end{equation}", "a ≤ b"),
]  # fmt: skip


@pytest.mark.parametrize(("latex", "expected"), LATEX)
def test_latex(latex: str, expected: str) -> None:
    assert to_markdown(latex) == (expected + "\n", [])


FORMULAS = [
    (r"1 \le n \le 10^5", "1 ≤ n ≤ 10⁵"),
    (r"-10^{18}\leq a_1,\ldots,a_n", r"-10¹⁸ ≤ a₁,…,a\_n"),
    (r"2^n \times m", "2ⁿ × m"),
    (r"a[i] < b", r"a\[i\] \< b"),
    (r"\{1, 2\}", "{1, 2}"),
    (r"\text{if } x", "if x"),
    (r"\frac{a}{b}", r"`$\frac{a}{b}$`"),
    (r"x^{i+j}", "`$x^{i+j}$`"),
    (r"x_{i,j}", "`$x_{i,j}$`"),
    (r"\unknown", r"`$\unknown$`"),
]


@pytest.mark.parametrize(("latex", "expected"), FORMULAS)
def test_formulas_that_are_not_simple_stay_as_they_are(latex: str, expected: str) -> None:
    assert formula(latex) == expected


def test_formulas_in_markdown() -> None:
    assert with_formulas("$1 \\le n$, `$x$`, $$\\frac12$$ and 5$\n\n```\n$y$\n```") == (
        "1 ≤ n, `$x$`, `$\\frac12$` and 5$\n\n```\n$y$\n```"
    )
    assert with_formulas("$5 and $6, \\$7 and \\$8") == "$5 and $6, \\$7 and \\$8"


def test_headings_in_markdown_are_below_those_of_the_page(tmp_path: Path) -> None:
    statement = "# Input\n\n```\n# a remark\n```\n\n### More\n"
    settings = "problem_format_version: 2023-07\nname: Double It\n"
    package = written(tmp_path, {"problem.yaml": settings, "statement/problem.en.md": statement, TEX: None})
    assert imported(package).question.text.startswith("#### Input\n\n```\n# a remark\n```\n\n###### More\n")


LEFT_OUT = [
    (r"\includegraphics[width=3cm]{cave.jpg}", "(An illustration is left out here.)", "the illustration cave.jpg"),
    (
        r"\illustration{0.3}{cave.jpg}{A cave}",
        "(An illustration is left out here: A cave.)",
        "the illustration cave.jpg",
    ),
    (
        r"\begin{tikzpicture}\draw (0,0);\end{tikzpicture}",
        "(A drawing is left out here.)",
        "a drawing in the statement",
    ),
    (r"a \colour{b}", "a b", r"\colour in the statement"),
    (r"\begin{boxed}a\end{boxed}", "a", "the environment boxed in the statement, whose text was kept"),
]


@pytest.mark.parametrize(("latex", "expected", "named"), LEFT_OUT)
def test_what_has_no_counterpart_is_named(latex: str, expected: str, named: str) -> None:
    assert to_markdown(latex) == (expected + "\n", [named])


@pytest.mark.parametrize("latex", ["{" * 5000, r"\begin{center}" * 3000])
def test_nesting_without_end_is_refused(latex: str) -> None:
    with pytest.raises(PackageError, match="The statement cannot be read"):
        to_markdown(latex)


@given(st.text("abc \n\\{}[]$%&_^~#`'*-<>|1.", max_size=60))
def test_any_text_becomes_markdown_or_is_refused(latex: str) -> None:
    try:
        text, _ = to_markdown(latex)
    except PackageError:
        return
    markdown(text)


@given(st.text("ab1 *_`[]<>#!\\", max_size=30))
def test_characters_of_markdown_are_shown_as_they_are(text: str) -> None:
    """In a formula: a text that is not simple is shown as code."""
    assert "<em>" not in markdown(f"x {formula(text)}")
