"""`quadrille bench insight`: the processor time of each picture of a large class, beside a bare Flask page that makes
one query."""

import gc
import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial
from random import Random
from statistics import median
from time import process_time
from typing import Any

from sqlalchemy import delete, insert, select, update
from sqlalchemy.orm import Session, sessionmaker
from werkzeug.test import Client

from deploy.loadtest.classroom import class_of
from deploy.measure.figures import Figure
from deploy.measure.installation import installation
from deploy.measure.pages import REPEATS, WARM, bare_page, milliseconds, sign_in
from deploy.measure.synthetic import KEPT, NEVER, add_games, double
from deploy.processes.wsgi import make_site
from grader.failed_cases import CaseFailures, CaseNames
from grader.models import Assignment, Submission
from sandbox.api import SandboxError
from tournament.final.freeze import Entrant, FinalPlan, freeze
from tournament.final.settings import FinalSettings
from tournament.ladder.rerate import rate_one
from tournament.store.database import Sessions, connect, now, reading, writing
from tournament.store.jobs import JobState
from tournament.store.tables import Entry, Final, FinalPhase, RankSample, Tournament, TournamentKind
from web.insight.facts import Facts
from web.insight.pictures import PICTURES
from web.insight.place import Place
from web.models import Course, Role
from web.site.rights.access import Seen, Viewer

STUDENTS = 1500
UPLOADS = (4500, 72_000)
CASES = 4000  # of a report
SAMPLES = 60  # of an entry's rank
FEW = 10_000
DOUBLINGS, QUICK_DOUBLINGS = 7, 1


def measure(doublings: int = DOUBLINGS) -> Iterator[Figure | str]:
    """`insight.<picture>`: each picture from its facts to its SVG, in ms of processor time, each time after one more
    upload was graded, for STUDENTS with the last of UPLOADS and FEW games doubled that often. `insight.page`: all of
    them, as an instructor's page; `insight.page_again`: when nothing has changed. `…_few`: with the first of UPLOADS.
    The rows are synthetic; the tables, indexes and queries are real."""
    with installation() as settings:
        sessions = sessionmaker(connect(settings.database))
        yield f"a class of {STUDENTS:,} is made up, with {FEW << doublings:,} games"
        teacher = class_of(settings.data, sessions, STUDENTS, staff=1)[-1]
        _play(sessions, doublings)
        reference, site = milliseconds(bare_page(settings), ["/"], {}), Client(make_site(settings))
        sign_in(site, teacher)
        gc.freeze()
        for name, uploads in zip(("_few", ""), UPLOADS, strict=True):
            yield f"they upload {uploads:,} files"
            with writing(sessions) as session:
                _upload(session, uploads)
            for picture in PICTURES:
                cost = _cost(sessions, partial(_draw, sessions, PICTURES[picture]))
                yield Figure(f"insight.{picture}{name}", cost, "ms", reference)
            yield Figure(f"insight.page{name}", _cost(sessions, partial(_page, site)), "ms", reference)
            yield Figure(f"insight.page_again{name}", median(_page(site) for _ in range(REPEATS)), "ms", reference)


def _cost(sessions: Sessions, look: Callable[[], float]) -> float:
    """The median of what it takes to look at something when one more upload has been graded."""
    times, rng = [], Random(0)
    for _ in range(WARM + REPEATS):
        with writing(sessions) as session:
            _upload_one(session, rng)
        times.append(look())
    return median(times[WARM:])


def _draw(sessions: Sessions, picture: Callable[[Facts], object]) -> float:
    """The processor time of a picture, in ms."""
    with reading(sessions) as session:
        assignment = session.scalars(select(Assignment)).one()
        viewer = Viewer(0, "", Role.INSTRUCTOR, session.get_one(Course, assignment.course_id), None)
        began = process_time()
        picture(Facts(session, Seen(assignment, viewer), Place("/insight/", "/entries/0/")))
        return 1000 * (process_time() - began)


def _page(site: Client) -> float:
    """The processor time of the page, in ms."""
    began = process_time()
    answer = site.get("/assignments/1/insight/")
    took = 1000 * (process_time() - began)
    if answer.status_code != 200:
        raise SandboxError(f"the page was answered with {answer.status}")
    return took


def _play(sessions: Sessions, doublings: int) -> None:
    """Games on the ladder, ranks over time, and a final of everybody."""
    with writing(sessions) as session:
        ladder = session.scalars(select(Tournament).where(Tournament.kind == TournamentKind.LADDER)).one()
        ladder.target_games, ladder_id = NEVER, ladder.id
        add_games(session, ladder, FEW)
    for _ in range(doublings):
        with writing(sessions) as session:
            double(session, session.get_one(Tournament, ladder_id))
    rate_one(sessions, ladder_id)
    with writing(sessions) as session:
        ladder = session.get_one(Tournament, ladder_id)
        entries = session.scalars(select(Entry).where(Entry.tournament_id == ladder_id, Entry.bot.is_(None))).all()
        _sample(session, entries)
        _finish(session, ladder.assignment_id or 0, entries)


def _sample(session: Session, entries: Sequence[Entry]) -> None:
    rng, hour = Random(1), timedelta(hours=1)
    moments = [now() - hour * back for back in range(1, SAMPLES)]
    rows = [
        {"entry_id": each.id, "at": at, "rank": rng.randint(1, STUDENTS), "ranked": STUDENTS, "games": 1}
        for each in entries
        for at in moments
    ]
    session.execute(insert(RankSample), rows)


def _finish(session: Session, assignment_id: int, entries: Sequence[Entry]) -> None:
    """A final that has ended with the results of the ladder."""
    entrants = [Entrant(each.author_id or 0, each.player_id or 0, each.name, 1, each.entered_at) for each in entries]
    final: Final = freeze(session, assignment_id, FinalPlan("bo", entrants, FinalSettings()))
    final.phase = FinalPhase.FINISHED
    results = [{column: getattr(each, column) for column in KEPT} for each in entries]
    session.execute(update(Entry), [{"id": id_, **own} for id_, own in zip(final.entries, results, strict=False)])


def _upload(session: Session, number: int) -> None:
    """Let the class have so many graded uploads."""
    assignment = session.scalars(select(Assignment)).one()
    authors = session.execute(select(Entry.author_id, Entry.player_id).where(Entry.author_id.is_not(None)).distinct())
    known, rng, begin = authors.all(), Random(number), now() - timedelta(hours=96)
    rows = []
    for upload in range(number):
        at = begin + timedelta(hours=96 * (upload / number) ** 0.5)  # ever more of them
        rows.append(_graded(assignment.id, rng.choice(known), at, rng))
    session.execute(insert(Submission), rows)
    names = [(f"q{1 + n % 4}", f"chosen({n}, ['AS', '2H'])") for n in range(CASES)]
    if session.get(CaseNames, "bench") is None:
        session.add(CaseNames(key="bench", names=zlib.compress(json.dumps(names).encode())))
        session.flush()
    session.query(CaseFailures).delete()
    latest: dict[int, int] = dict(
        session.execute(select(Submission.author_id, Submission.id).order_by(Submission.id)).all()
    )
    bits = [
        {"submission_id": id_, "assignment_id": assignment.id, "cases": "bench", "failed": _few_bits(rng)}
        for id_ in latest.values()
    ]
    session.execute(insert(CaseFailures), bits)


def _graded(assignment: int, by: Any, at: datetime, rng: Random) -> dict[str, Any]:
    """A graded upload, as a row of its table."""
    row = {"assignment_id": assignment, "author_id": by[0], "player_id": by[1], "filename": "player.py"}
    row |= {"wants_entry": False, "entry_name": "", "progress": {}, "report": rng.randbytes(2500)}
    row |= {"queued_at": at, "finished_at": at + timedelta(seconds=rng.expovariate(0.1)), "state": JobState.DONE}
    points = {f"q{n}": rng.random() for n in range(1, 5)}
    return row | {"qualifies": rng.random() < 0.3, "points": 1.0, "question_points": points}


def _upload_one(session: Session, rng: Random) -> None:
    """Let somebody who has uploaded upload once more."""
    former = session.execute(
        select(Submission.assignment_id, Submission.author_id, Submission.player_id)
        .where(Submission.id > rng.randint(0, UPLOADS[0] - 1))
        .limit(1)
    ).one()
    row = _graded(former[0], former[1:], now(), rng)
    id_ = session.scalar(insert(Submission).returning(Submission.id), row)
    of_author = select(Submission.id).where(Submission.author_id == former[1])
    session.execute(delete(CaseFailures).where(CaseFailures.submission_id.in_(of_author)))
    session.add(CaseFailures(submission_id=id_, assignment_id=former[0], cases="bench", failed=_few_bits(rng)))


def _few_bits(rng: Random) -> bytes:
    """An eighth of the cases."""
    return bytes(rng.getrandbits(8) & rng.getrandbits(8) & rng.getrandbits(8) for _ in range(CASES // 8))
