"""Escape, in a single step, each value that a template writes. Jinja itself calls two functions and creates an object
for each value, and a replay's drawings, or a page with fifty games, contain thousands of values."""

from typing import Any

from jinja2 import Environment, nodes
from jinja2.compiler import CodeGenerator, Frame
from markupsafe import Markup, escape

from sandbox.visible import visible


class OneStep(CodeGenerator):
    """Writes `environment.written(value)` where Jinja would write `escape(environment.finalize(value))`."""

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        if frame.eval_ctx.autoescape and not frame.eval_ctx.volatile and finalize.src is not None:
            self.write("environment.written((")
        else:
            super()._output_child_pre(node, frame, finalize)

    def visit_CondExpr(self, node: nodes.CondExpr, frame: Frame) -> None:
        """Without an `else`, use empty text instead of an undefined value, which takes longer to create and to
        write."""
        node.expr2 = node.expr2 or nodes.Const("")
        super().visit_CondExpr(node, frame)


def shown(value: Any) -> Any:
    """Replace characters that are invisible or change the direction of writing with escapes such as `\\u202e`. Every
    text on every page passes through this function. Where a form must return a text unchanged, its template uses `|e`.
    """
    return visible(value.replace("\r\n", "\n")) if type(value) is str else value


def coded(text: str) -> Markup:
    """Show the text between backticks in a sentence as code."""
    pieces = [escape(shown(each)) for each in text.split("`")]
    return Markup("").join(Markup("<code>{}</code>").format(each) if at % 2 else each for at, each in enumerate(pieces))


def install(environment: Environment) -> None:
    """Pass every value on a page through `shown`, and escape it unless it is already markup. A line that contains only
    a template tag leaves no empty line."""

    def written(value: Any) -> str:
        kind = type(value)
        return value if kind is Markup else str(value) if kind is int else escape(shown(value))

    environment.trim_blocks = environment.lstrip_blocks = True
    environment.finalize = shown
    environment.code_generator_class = OneStep
    environment.written = written  # type: ignore[attr-defined]
