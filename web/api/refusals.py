"""What the grader and the tournaments refuse, as problems of the API."""

from collections.abc import Iterator
from contextlib import contextmanager

from grader.ladders import NoTournament
from grader.marks.publishing import NotPublishable
from grader.marks.schemes import ChangedMeanwhile
from grader.playing.custom_games import AlreadyComparing, NoEntry, NoOpponents, SameFile
from grader.playing.entering import FailedTrial, NotGraded, NotQualified
from grader.reviewing.comments import CommentRefused
from grader.reviewing.requests import RequestRefused
from grader.submissions import KeyReused
from grader.uploads import TooLarge, UploadError
from tournament.bracket.lifecycle import BracketError
from tournament.ladder.exclusion import Excluded
from tournament.ladder.withdrawal import WithdrawalError
from tournament.practice.quota import CustomGameError, QuotaUsed
from web.gradebook.extending import BadExtensions
from web.site.serving.problems import Refused, code_of

_CONFLICTS = (
    *(NoTournament, NotGraded, NotQualified, FailedTrial, KeyReused),
    *(AlreadyComparing, NoEntry, NoOpponents, SameFile, CustomGameError),
)


@contextmanager
def refusals() -> Iterator[None]:
    """Turn a refusal into a problem."""
    try:
        yield
    except QuotaUsed as error:
        raise Refused(429, error.message, code_of(error), error.retry_after_s) from error
    except Excluded as error:
        raise Refused(429, str(error), "excluded", error.retry_after_s) from error
    except (UploadError, CustomGameError) as error:
        status = 413 if isinstance(error, TooLarge) else 409 if isinstance(error, _CONFLICTS) else 422
        raise Refused(status, error.message, code_of(error)) from error
    except (BracketError, WithdrawalError) as error:
        raise Refused(409, str(error)) from error
    except (BadExtensions, ChangedMeanwhile, CommentRefused, NotPublishable, RequestRefused) as error:
        raise Refused(409, str(error), code_of(error)) from error
