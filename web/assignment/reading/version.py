"""A submission as it is read: its files, with what the report found and what staff say of them."""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy.orm import Session

from grader.authoring.versions import definition_of
from grader.grading.report import Report
from grader.store.models import Submission
from grader.submissions.submit import report_of
from web.assignment.reading.code import Findings, files_to_read, findings_in, player_path
from web.assignment.reading.commenting import ShownComments, shown_comments
from web.site.access import Seen


@dataclass(frozen=True, slots=True)
class ReadVersion:
    """A submission to be read: its files by path, the path of its player, its report as the viewer may see it, and the
    comments on it."""

    files: Mapping[str, bytes]
    player: str
    report: Report | None
    comments: ShownComments

    def findings(self, path: str) -> Findings:
        """What the report found in a file."""
        return findings_in(self.report, path, self.player) if self.report else {}

    def in_python(self, path: str) -> bool:
        """Whether a file is written in Python."""
        return path == self.player or path.endswith(".py")


def version_of(session: Session, seen: Seen, submission: Submission) -> ReadVersion:
    """A submission as this viewer may read it."""
    files = files_to_read(submission)
    player = player_path(definition_of(session, seen.assignment), submission, files)
    report = report_of(submission, whole=seen.viewer.staff)
    return ReadVersion(files, player, report, shown_comments(session, [submission.id]))
