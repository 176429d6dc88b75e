"""What pydantic finds wrong with a value, in plain English."""

from pydantic_core import ErrorDetails, ValidationError

from sandbox import patterns

_WORDS = {
    "bool_parsing": "must be true or false",
    "bool_type": "must be true or false",
    "dict_type": "must be a table",
    "extra_forbidden": "is not known here",
    "finite_number": "must be a number",
    "float_parsing": "must be a number",
    "float_type": "must be a number",
    "int_from_float": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_type": "must be a whole number",
    "missing": "is required",
    "string_type": "must be text",
    "tuple_type": "must be a list",
}


def must_be(error: ErrorDetails) -> str:
    """What the value must be: `must be at least 4`. A validator's own message stays as it is."""
    bounds = error.get("ctx", {})
    match error["type"]:
        case "greater_than_equal":
            return f"must be at least {bounds['ge']:g}"
        case "less_than_equal":
            return f"must be at most {bounds['le']:g}"
        case "enum" | "literal_error":
            return f"must be {bounds['expected']}".replace("'", "")
        case "value_error":
            return str(bounds["error"])
    return _WORDS.get(error["type"]) or patterns.compile(r"^\w+ should").sub("must", error["msg"])


def sentence(error: ErrorDetails) -> str:
    """The same as a sentence: `This must be at least 4.`"""
    words = must_be(error)
    own = words[:1].isupper()
    return f"{words if own else f'This {words}'}".removesuffix(".") + "."


def by_field(error: ValidationError) -> dict[str, str]:
    """A sentence for each field that is wrong."""
    return {str(item["loc"][0]): sentence(item) for item in error.errors()}
