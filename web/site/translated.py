"""Translate templates. Marked text is translated when a template is compiled, so a page takes no longer than without
marks. The values in the text are written like all other values; see `web.site.escaping`."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, cast

from flask import Flask
from flask.templating import Environment as FlaskEnvironment
from jinja2 import Environment, Template, nodes
from jinja2.compiler import Frame
from jinja2.visitor import NodeTransformer
from markupsafe import escape

from sandbox import patterns
from web.site.escaping import OneStep
from web.site.languages import ENGLISH, forms_of, language, plural_form

_VALUE: Final = patterns.compile(r"%\((\w+)\)s")

Forms = Sequence[list[nodes.Expr]]


class Templates(FlaskEnvironment):
    """The site's templates, each in the reader's language. English pages use the filters in `english`, which do not
    translate, instead of the general filters."""

    def __init__(self, app: Flask, **options: Any) -> None:
        super().__init__(app, **options)
        self.english: dict[str, Callable[..., Any]] = {}
        self.languages: dict[str, Environment] = {}

    def _load_template(self, name: str, globals: Any) -> Template:
        if self.overlayed:
            return super()._load_template(name, globals)
        code = language()
        there = self.languages.get(code) or self.languages.setdefault(code, self._in(code))
        return there._load_template(name, globals)

    def _in(self, code: str) -> Environment:
        made = cast(Any, self.overlay())
        made.filters = {
            **self.filters,
            "written": made.written,
            "plural_form": lambda number: plural_form(code, number),
        }
        if code == ENGLISH:
            made.filters |= self.english
        else:
            made.bytecode_cache = None  # the cache's key is the source only, without the language
        made.language, made.code_generator_class = code, _Translating
        return cast(Environment, made)


class _Translating(OneStep):
    def visit_Template(self, node: nodes.Template, frame: Frame | None = None) -> None:
        super().visit_Template(_Marked(self.environment).visit(node), frame)


class _Marked(NodeTransformer):
    """Replaces marked text with its translation."""

    def __init__(self, environment: Environment) -> None:
        self._environment, self._code = environment, cast(str, cast(Any, environment).language)

    def visit_Output(self, node: nodes.Output) -> list[nodes.Node]:
        body, line = list[nodes.Node](), list[nodes.Expr]()
        for child in node.nodes:
            if not (found := self._forms(child)):
                line.append(self.visit(child))
            elif len(found[0]) == 1:
                line += found[0][0]
            else:
                body += [self._set(nodes.Output(line), node), self._branches(node, *found)]
                line = []
        return [*body, self._set(nodes.Output(line), node)]

    def visit_Call(self, node: nodes.Call) -> nodes.Node:
        if not (found := self._forms(node)):
            return self.generic_visit(node)
        forms, number = found
        whole = self._joined(node, forms[-1])
        for place, parts in reversed([*enumerate(forms[:-1])]):
            test = self._is_form(node, number, place)
            whole = self._set(nodes.CondExpr(test, self._joined(node, parts), whole), node)
        return whole

    def visit_Filter(self, node: nodes.Filter) -> nodes.Node:
        self.generic_visit(node)
        return node.node if node.name == "said" and self._code == ENGLISH and node.node else node

    def _forms(self, node: nodes.Node) -> tuple[Forms, nodes.Expr | None] | None:
        """The parts of a marked text in each of its plural forms, and the number that selects the form."""
        if not isinstance(node, nodes.Call) or not isinstance(node.node, nodes.Name) or node.dyn_kwargs:
            return None
        texts = [each.value for each in node.args if isinstance(each, nodes.Const) and isinstance(each.value, str)]
        counts = {"_": 1, "gettext": 1, "ngettext": 2}.get(node.node.name)
        if counts is None or len(texts) != counts or len(node.args) != {1: 1, 2: 3}[counts]:
            return None
        values: dict[str, nodes.Expr] = {each.key: self.visit(each.value) for each in node.kwargs}
        number = self.visit(node.args[2]) if counts == 2 else None
        if number is not None:
            values.setdefault("num", number)
        return [self._parts(node, text, values) for text in forms_of(self._code, *texts)], number

    def _parts(self, node: nodes.Node, text: str, values: Mapping[str, nodes.Expr]) -> list[nodes.Expr]:
        parts, at = list[nodes.Expr](), 0
        for found in _VALUE.finditer(text):
            parts += [*self._text(node, text[at : found.start()]), values[found[1]]]
            at = found.end()
        return [*parts, *self._text(node, text[at:])]

    def _text(self, node: nodes.Node, text: str) -> list[nodes.Expr]:
        return [self._set(nodes.TemplateData(text.replace("%%", "%")), node)] if text else []

    def _joined(self, node: nodes.Node, parts: list[nodes.Expr]) -> nodes.Expr:
        """Join the parts into one expression. If nothing in the constant text needs escaping, the result is a plain
        string, which `kept` can look up and the template escapes when printing it. Otherwise the result is already
        escaped."""
        texts = [each.data for each in parts if isinstance(each, nodes.TemplateData)]
        if all(escape(text) == text for text in texts):
            plain = [nodes.Const(each.data) if isinstance(each, nodes.TemplateData) else each for each in parts]
            made = plain[0] if len(parts) == 1 else nodes.Concat(plain)
            return cast(nodes.Expr, self._set(made, node))
        if len(parts) == 1:
            return parts[0]
        escaped = [
            each if isinstance(each, nodes.TemplateData) else self._filtered(node, each, "written") for each in parts
        ]
        return cast(nodes.Expr, self._set(nodes.Concat(escaped), node))

    def _branches(self, node: nodes.Node, forms: Forms, number: nodes.Expr | None) -> nodes.Node:
        rest: list[nodes.Node] = [self._set(nodes.Output(forms[-1]), node)]
        for place, parts in reversed([*enumerate(forms[:-1])]):
            test, output = self._is_form(node, number, place), self._set(nodes.Output(parts), node)
            rest = [self._set(nodes.If(test, [output], [], rest), node)]
        return rest[0]

    def _is_form(self, node: nodes.Node, number: nodes.Expr | None, place: int) -> nodes.Expr:
        assert number is not None  # noqa: S101  # only counted texts have several forms
        if self._code == ENGLISH:
            return cast(nodes.Expr, self._set(nodes.Compare(number, [nodes.Operand("eq", nodes.Const(1))]), node))
        form = self._filtered(node, number, "plural_form")
        return cast(nodes.Expr, self._set(nodes.Compare(form, [nodes.Operand("eq", nodes.Const(place))]), node))

    def _filtered(self, node: nodes.Node, value: nodes.Expr, name: str) -> nodes.Expr:
        return cast(nodes.Expr, self._set(nodes.Filter(value, name, [], [], None, None), node))

    def _set(self, made: nodes.Node, like: nodes.Node) -> Any:
        return made.set_lineno(like.lineno).set_environment(self._environment)
