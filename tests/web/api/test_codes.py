"""The codes of the API's errors, which programs compare."""

import ast
from collections.abc import Iterator
from pathlib import Path

from flask import Flask

from tournament.store.validation import Refusal
from web import app
from web.lti import connected, registration  # noqa: F401  # only some sites load these: their refusals count too
from web.privacy import forgetting  # noqa: F401
from web.sign_on import sign_on  # noqa: F401
from web.site.errors import CODES, ApiRefusal, refused

KNOWN = [
    "already_comparing",
    "already_frozen",
    "bad_archive",
    "bad_assignment",
    "bad_deals",
    "bad_decision",
    "bad_draft",
    "bad_extensions",
    "bad_final_settings",
    "bad_form",
    "bad_lines",
    "bad_link",
    "bad_mark_file",
    "bad_people",
    "bad_platform",
    "bad_pseudonym",
    "bad_quota",
    "bad_request",
    "bad_role",
    "bad_rubric_file",
    "bad_section_dates",
    "bad_seed",
    "bad_settings",
    "bad_table",
    "bad_time",
    "bad_webhook",
    "cannot_forget",
    "changed_meanwhile",
    "comment_refused",
    "conflict",
    "consent_missing",
    "course_error",
    "custom_game_error",
    "deadline_error",
    "deadline_past",
    "edited_meanwhile",
    "empty_file",
    "excluded",
    "failed_trial",
    "files_missing",
    "final_error",
    "forbidden",
    "invalid",
    "key_reused",
    "method_not_allowed",
    "no_entry",
    "no_opponents",
    "no_player",
    "no_question",
    "no_reason",
    "no_such_student",
    "no_tournament",
    "nobody_entered",
    "not_admitted",
    "not_choosable",
    "not_excluded",
    "not_found",
    "not_graded",
    "not_played",
    "not_publishable",
    "not_qualified",
    "not_text",
    "not_utf8",
    "not_yours",
    "nothing_to_grade",
    "old_line_ends",
    "our_fault",
    "over",
    "override_error",
    "quota_used",
    "request_refused",
    "roster_error",
    "rules_changed",
    "same_file",
    "season_over",
    "stale",
    "switched_off",
    "too_few_players",
    "too_large",
    "too_many_requests",
    "unauthenticated",
    "unavailable",
    "unconfirmed",
    "unknown_zone",
    "unsupported_media_type",
    "upload_error",
    "uploads_ended",
    "wrong_phase",
]


def kinds_of(kind: type[Refusal]) -> Iterator[type[Refusal]]:
    for each in kind.__subclasses__():
        yield each
        yield from kinds_of(each)


def code_of(kind: type[Refusal]) -> str:
    error = refused(kind.__new__(kind, "No.")).json
    assert error
    return str(error["error"]["code"])


def codes_given() -> Iterator[str]:
    """The literals that `ApiRefusal(status, message, code)` is given."""
    for file in Path(app.__file__).parent.rglob("*.py"):
        for call in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(call, ast.Call) and ast.unparse(call.func) == ApiRefusal.__name__:
                yield from (ast.literal_eval(code) for code in call.args[2:])


def test_no_code_is_renamed() -> None:
    ours = [kind for kind in kinds_of(Refusal) if kind is not ApiRefusal and not kind.__module__.startswith("tests.")]
    with Flask(__name__).test_request_context():
        codes = {code_of(kind) for kind in ours} | {*CODES.values()} | {*codes_given()}
    assert sorted(codes) == sorted(KNOWN), (
        "A code is public: programs compare it. One may be added to KNOWN, but none renamed or taken away. It is made"
        " of the name of the class of a refusal, so keep the name; or, if the class has to be called otherwise, give it"
        " the old code as `code`."
    )
    assert sorted(KNOWN) == KNOWN, "KNOWN is sorted."
