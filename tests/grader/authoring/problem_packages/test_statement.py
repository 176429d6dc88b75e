"""Statements in LaTeX and Markdown as Markdown."""

from base64 import b64encode
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.authoring.problem_packages.latex import to_markdown
from grader.authoring.problem_packages.maths import formula, with_formulas
from grader.authoring.problem_packages.package import PackageError
from tests.grader.authoring.problem_packages.packages import imported, written
from web.site.assets import markdown

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
    ("\\begin{Input}One.\\end{Input}\n\\begin{Output}Two.\\end{Output}", "#### Input\n\nOne.\n\n#### Output\n\nTwo."),
    (r"\newcommand{\name}[1]{\texttt{#1}}\newcommand\most{10^5}\name{a} $n \le \most$", "`a` n ≤ 10⁵"),
    (r"\newcommand{\pair}[2][x]{#1 and \emph{#2}}\pair{a}, \pair[b]{c}", "x and *a*, b and *c*"),
    (r"\def\power#1#2{$#1^#2$}\power{n}{2}\\\power{a}{b}", "n²\\\na^b"),
    (r"\newcommand{\outer}{\inner{a}}\newcommand{\inner}[1]{\textbf{#1}}\outer", "**a**"),
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


CAVE = b"\x89PNG in fact"


@pytest.mark.parametrize(
    ("path", "statement", "shown"),
    [
        (TEX, r"\includegraphics[width=3cm]{cave.png}", "![Illustration][illustration-1]\n"),
        (
            TEX,
            r"\includegraphics{cave}\includegraphics{cave}",
            "![Illustration][illustration-1]\n\n![Illustration][ill",
        ),
        (TEX, r"\illustration{0.3}{cave.png}{A cave}", "![Illustration][illustration-1]\n\nA cave\n"),
        ("problem_statement/problem.md", "![A cave](cave.png){width=30%}", "![A cave][illustration-1]\n"),
    ],
)
def test_illustrations_are_part_of_the_text(path: str, statement: str, shown: str, tmp_path: Path) -> None:
    made = imported(written(tmp_path, {TEX: None, path: statement, "problem_statement/cave.png": CAVE}))
    assert made.question.text.startswith(shown)
    assert f"\n[illustration-1]: data:image/png;base64,{b64encode(CAVE).decode()}\n" in made.question.text
    assert '<img src="data:image/png;base64,' in markdown(made.question.text)
    assert not any("illustration" in each for each in made.left_out)


@pytest.mark.parametrize(
    ("name", "content"), [("cave.png", b"0" * (200 << 10)), ("cave.pdf", CAVE), ("../data/cave.png", CAVE)]
)
def test_an_illustration_that_is_too_large_or_of_another_type_is_named(
    name: str, content: bytes, tmp_path: Path
) -> None:
    made = imported(written(tmp_path, {TEX: rf"\includegraphics{{{name}}}", f"problem_statement/{name}": content}))
    assert "(An illustration is left out here.)" in made.question.text
    assert f"the illustration {name}" in made.left_out


@pytest.mark.full
def test_macros_that_grow_without_end_are_refused() -> None:
    with pytest.raises(PackageError, match="make it too long"):
        to_markdown(r"\newcommand{\x}{\x\x}" + r"\x{}" * 20_000)
    with pytest.raises(PackageError, match="too many macros"):
        to_markdown(r"\newcommand{\x}{y}" * 101)


SCORES = (
    "Sum all points in the plane.\n\n\\section*{Scoring}\nTo get the points for a test group, solve all its cases.\n\n"
    "\\begin{tabular}{ll}Group & Points\\\\1 & 20\\end{tabular}\n\nGood luck.\n"
)


def test_what_the_grading_does_not_do_is_not_promised(tmp_path: Path) -> None:
    made = imported(written(tmp_path, {TEX: SCORES, "data/testdata.yaml": "grader_flags: sum\naccept_score: 3\n"}))
    assert made.question.text.startswith("Sum all points in the plane.\n\nGood luck.\n\nWrite a program")
    hidden = [each for each in made.left_out if "put it back into text.md" in each]
    assert [each.partition("“")[2][:12] for each in hidden] == ["#### Scoring", "To get the p", "| Group | Po"]
    assert "for a test group" in imported(written(tmp_path, {TEX: SCORES}, "unscored")).question.text


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
