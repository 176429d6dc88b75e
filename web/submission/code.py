"""The files of a submission, line by line, alone or beside another submission, with the report's findings; and the
comments of staff on lines."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from flask import Blueprint, flash, redirect, request, url_for
from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session
from werkzeug.exceptions import NotFound

from grader.marks.comments import (
    CodeComment,
    comment_on,
    delete_comment,
    earlier_comments,
    edit_comment,
    restore_comment,
)
from grader.store.models import Submission
from web.site import access, roles
from web.site.access import Seen
from web.site.auth import local_path, user
from web.site.inputs import number
from web.site.models import User
from web.site.pages import looked_at, page_about, see_other, shown_again
from web.site.store import read, write
from web.submission.comparing import compared_files
from web.submission.reading import (
    CodeLine,
    CodePage,
    CommentForm,
    find_line,
    is_marked_by,
    line_address,
    lines_of,
    on_page,
    page_with,
    version_of,
)

page = Blueprint("code", __name__)
CODE = "/submissions/<int:submission_id>/code"


@page.get(f"{CODE}/")
def show(submission_id: int) -> str:
    """Show a part of a file. `?file=` is the file's path, by default the player's. `?page=` counts from 1, or `?line=`
    is a line on the page. `?comment=` opens a form for a comment on that line, and `?edit=` a form for that comment.
    `?deleted=` offers to restore that comment."""
    submission, seen = access.submission(read(), user().id, submission_id)
    code = code_asked_for(submission, seen, partial(url_for, "code.show", submission_id=submission_id))
    return _code_page(submission, seen, code)


def _code_page(submission: Submission, seen: Seen, code: CodePage) -> str:
    marked = is_marked_by(read(), seen.viewer, submission)
    return page_about("submission/code.html", seen, submission=submission, code=code, marked=marked)


def code_asked_for(submission: Submission, seen: Seen, address: Callable[..., str]) -> CodePage:
    """Return the part of a file that the request asks for, with the parameters of `show`. `address` returns addresses
    on the page on which it is shown."""
    asked = request.args
    path, form, edited = asked.get("file", ""), None, _named_comment(submission, seen, "edit")
    if edited and not edited.deleted_at:
        path, form = edited.path, CommentForm(edited.line, edited.text, edited.id, edited.revision)
    elif "comment" in asked and seen.viewer.answers:
        form = CommentForm(asked.get("comment", 0, number))
    part = asked.get("page", 0, number) or (page_with(asked.get("line", 0, number)) if "line" in asked else 0)
    return code_of(submission, seen, address, path, form, part)


def page_of(submission: Submission, seen: Seen, path: str, form: CommentForm) -> str:
    """Return the page with a form for a comment at a line."""
    code = code_of(submission, seen, partial(url_for, "code.show", submission_id=submission.id), path, form)
    return _code_page(submission, seen, code)


def code_of(
    submission: Submission,
    seen: Seen,
    address: Callable[..., str],
    path: str = "",
    form: CommentForm | None = None,
    part: int = 0,
) -> CodePage:
    """Return a part of a file, optionally with a form at a line. If `part` is 0, it is the part with the form or,
    without a form, the first part."""
    version = version_of(read(), seen, submission)
    files, comments, report = version.files, version.comments, version.report
    path = path or version.player or min(files)
    if path not in files:
        raise NotFound("This submission has no such file.")
    findings = version.findings(path)
    part = max(part, 1) if part or not form else page_with(form.line)
    lines, parts = on_page(files[path], part, version.in_python(path), findings, comments.at(path))
    form = _offering(form, lines, seen)
    if submission.author_id == user().id and comments.rows:
        looked_at(user().id, "comment", {each.id for each in comments.rows})
    deleted = _named_comment(submission, seen, "deleted")
    return CodePage(
        submission=submission,
        report=report,
        files=sorted(files),
        path=path,
        lines=lines,
        length=len(lines_of(files[path])),
        page=part,
        pages=parts,
        notes=report.notes if report and path == version.player else [],
        places=sorted(findings),
        comments=comments,
        may_edit=partial(roles.may_edit, seen),
        address=address,
        form=form,
        deleted=deleted if deleted and deleted.deleted_at else None,
    )


def _offering(form: CommentForm | None, lines: Sequence[CodeLine], seen: Seen) -> CommentForm | None:
    """Return the form with the earlier comments that its writer can insert. Raises NotFound if the form's line is not
    among these lines, or if there are no lines."""
    if form is None and lines:
        return None
    if form is None or form.line not in (each.number for each in lines):
        raise NotFound("This file has no such line." if form else "This file has no such page.")
    return replace(form, earlier=earlier_comments(read(), seen.viewer.course.id, user().id))


def _named_comment(submission: Submission, seen: Seen, name: str) -> CodeComment | None:
    """Return the comment on this submission whose id is the query parameter `name`, if the viewer may change it."""
    id_ = request.args.get(name, 0, number)
    row = read().get(CodeComment, id_) if id_ else None
    return row if row and row.submission_id == submission.id and roles.may_edit(seen, row) else None


OFFERED = 50
"""The largest number of versions of one student that are offered."""

PEOPLE = 20
"""The largest number of students that a search finds."""


@dataclass(frozen=True, slots=True)
class FoundAuthor:
    """A student whom a search found: the number of their uploads, and the id of the latest."""

    name: str
    login: str
    uploads: int
    latest: int


@page.get(f"{CODE}/compared/")
def show_compared(submission_id: int) -> Any:
    """Show the submission with another submission on its left: the submission with the number `?other=` or, by default,
    the author's previous one. `?this=` puts another submission on the right, and `?who=` searches for students to
    compare with."""
    session = read()
    submission, seen = access.submission(session, user().id, submission_id)
    asked, this = request.args.get("other", type=number), request.args.get("this", submission_id, number)
    if this != submission_id:
        return see_other("code.show_compared", submission_id=this, other=asked)
    versions = _uploads_of_author(session, submission)
    before = next((each for each in versions if each.id < submission.id), None)
    id_ = asked or (before.id if before else None)
    other = access.submission(session, user().id, id_)[0] if id_ else None
    if other and other.assignment_id != submission.assignment_id:
        raise NotFound("These two submissions belong to different assignments.")
    authors = {each.id: session.get_one(User, each.author_id) for each in (submission, other) if each}
    sides = [version_of(session, seen, each) for each in (other, submission) if each]
    return page_about(
        "submission/code_compared.html",
        seen,
        submission=submission,
        other=other,
        authors=authors,
        versions=versions,
        others=versions if not other or other.author_id == submission.author_id else _uploads_of_author(session, other),
        found=list(compared_files(*sides)) if len(sides) > 1 else [],
        names={id_: name for side in sides for id_, name in side.comments.names.items()},
        may_edit=partial(roles.may_edit, seen),
        who=(who := request.args.get("who", "").strip()),
        people=_found_authors(session, seen, submission, who) if who and seen.viewer.staff else [],
    )


def _found_authors(session: Session, seen: Seen, submission: Submission, who: str) -> list[FoundAuthor]:
    """Return other students with uploads whose name or login contains `who`, limited to students whom the viewer
    oversees."""
    wanted = select(User.name, User.login, func.count(), func.max(Submission.id)).join(
        Submission, Submission.author_id == User.id
    )
    others = Submission.assignment_id == submission.assignment_id, Submission.author_id != submission.author_id
    wanted = wanted.where(*others).group_by(User.id, User.name, User.login)
    wanted = wanted.where(or_(User.name.icontains(who, autoescape=True), User.login.icontains(who, autoescape=True)))
    if seen.viewer.pupils is not None:
        wanted = wanted.where(User.id.in_(seen.viewer.pupils))
    return [FoundAuthor(*row) for row in session.execute(wanted.order_by(User.name, User.id).limit(PEOPLE))]


def _uploads_of_author(session: Session, submission: Submission) -> Sequence[Submission]:
    """Return the latest submissions by the same student, the newest first."""
    wanted = select(Submission).where(
        Submission.assignment_id == submission.assignment_id, Submission.author_id == submission.author_id
    )
    return session.scalars(wanted.order_by(Submission.id.desc()).limit(OFFERED)).all()


# Comments of staff on lines


@page.get("/comments/<int:comment_id>/")
def show_comment(comment_id: int) -> Any:
    """Redirect to the line of a comment, for links in notices."""
    found, _ = access.code_comment(read(), user().id, comment_id)
    if found.deleted_at:
        flash("That comment has been deleted.")
        return see_other("code.show", submission_id=found.submission_id, file=found.path)
    return redirect(line_address(found.submission_id, found.line, found.path), 303)


@page.post("/submissions/<int:submission_id>/comments")
def write_comment(submission_id: int) -> Any:
    """Comment on a line of a file."""
    submission, seen = access.submission(read(), user().id, submission_id)
    roles.answering(seen, submission.author_id)
    form = request.form
    path, line, text = form.get("file", ""), form.get("line", 0, number), form.get("comment", "")
    find_line(submission, path, line)
    if "again" in form:
        return page_of(submission, seen, path, CommentForm(line, _with_earlier(seen, text)))
    with (
        shown_again(lambda why: page_of(submission, seen, path, CommentForm(line, text, problem=str(why)))),
        write() as session,
    ):
        row = session.get_one(Submission, submission_id, with_for_update=True)
        comment_on(session, row, user().id, (path, line), text)
    flash("The comment is saved. The student gets a notice with a link to this line.")
    return _back_to(submission_id, path, line)


@page.post("/comments/<int:comment_id>/")
def change_comment(comment_id: int) -> Any:
    """Save a comment's new text; delete the comment if `do` is `delete`, or restore it if `do` is `restore`."""
    found, seen = access.code_comment(read(), user().id, comment_id)
    roles.editing(seen, found)
    do, text = request.form.get("do", ""), request.form.get("comment", "")
    if "again" in request.form:
        return _with_form(found, seen, _with_earlier(seen, text), "")
    with shown_again(lambda why: _with_form(found, seen, text, str(why))), write() as session:
        if do == "delete":
            delete_comment(session, comment_id)
        elif do == "restore":
            restore_comment(session, comment_id)
        else:
            edit_comment(session, comment_id, user().id, text, request.form.get("was", 0, number))
    if do != "delete":
        flash("The comment has been restored." if do == "restore" else "The comment is saved.")
    return _back_to(found.submission_id, found.path, found.line, comment_id if do == "delete" else 0)


def _back_to(submission_id: int, path: str, line: int, deleted: int = 0) -> Any:
    """Redirect to a line on the page where its comment was written or, by default, on the page with the code. `deleted`
    is the comment that was deleted there."""
    back = local_path(request.form.get("back"))
    if back is None:
        return redirect(line_address(submission_id, line, path, deleted or None), 303)
    page = f"{'&' if '?' in back else '?'}deleted={deleted}" if deleted else ""
    return redirect(f"{back}{page}#L{line}", 303)


def _with_form(found: CodeComment, seen: Seen, text: str, problem: str) -> str:
    form = CommentForm(found.line, text, found.id, found.revision, problem)
    return page_of(found.submission, seen, found.path, form)


def _with_earlier(seen: Seen, text: str) -> str:
    """Return the text typed so far, followed by the chosen earlier comment."""
    id_ = request.form.get("again", 0, number)
    known = earlier_comments(read(), seen.viewer.course.id, user().id)
    return "\n".join(filter(None, (text.rstrip(), *(each.text for each in known if each.id == id_))))
