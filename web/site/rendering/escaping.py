"""Escaping in one step what templates write. Jinja calls two functions for each value, and makes an object of it: a
film's drawings, or a page with fifty games, write thousands."""

from collections.abc import Callable
from typing import Any

from jinja2 import Environment, nodes
from jinja2.compiler import CodeGenerator, Frame
from markupsafe import Markup, escape


class OneStep(CodeGenerator):
    """Writes `environment.written(value)` where Jinja would write `escape(environment.finalize(value))`."""

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        if frame.eval_ctx.autoescape and not frame.eval_ctx.volatile and finalize.src is not None:
            self.write("environment.written((")
        else:
            super()._output_child_pre(node, frame, finalize)


def install(environment: Environment, shown: Callable[[Any], Any]) -> None:
    """Let every value on a page come through `shown`, and be escaped unless it is markup already."""

    def written(value: Any) -> str:
        kind = type(value)
        return value if kind is Markup else str(value) if kind is int else escape(shown(value))

    environment.finalize = shown
    environment.code_generator_class = OneStep
    environment.written = written  # type: ignore[attr-defined]
