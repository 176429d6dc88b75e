"""`quadrille bench night`: uploads of programs in the last five minutes, from the site to the report."""

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http import HTTPStatus
from time import monotonic, perf_counter, sleep
from urllib.request import Request, urlopen

import psutil
from sqlalchemy import func, select
from sqlalchemy.orm import Session, sessionmaker

from deploy.measure.figures import Figure, percentile
from deploy.measure.installation import PATIENCE_S, add_student, empty_assignment, installation, programs, wait
from deploy.processes.serve import address, answers, usable_port
from grader.definition.model import Definition
from grader.definition.programs import ProgramCase, ProgramQuestion
from grader.grading.report import unpack
from grader.models import Submission
from grader.programs.grading import grade_program
from grader.programs.jails import ProgramJails
from grader.programs.upload.bundle import pack
from grader.publishing.versions import publish
from grader.queue import GRADING, PLAYERS
from sandbox.api import Sandbox, SandboxError
from sandbox.choose import open_program_sandbox
from tournament.store.database import Sessions, connect, reading, writing
from tournament.store.jobs import JobState
from tournament.store.tables import Worker

UPLOADS, LASTS_S = 300, 300.0
QUICK_SHARE = 0.1
"""The share of the uploads, and of the time that they take to come."""

OWN, GIVEN, CASES = 10, 9, 22
"""Source files that a student writes, those handed out (each with a header), and cases: as many as the Uno example
has."""

REPORT_S = 3600.0
"""The longest time for which reports are awaited."""


def question() -> ProgramQuestion:
    """A program of 28 files."""
    headers = {f"given{n}.h": f"#pragma once\n#include <string>\nstd::string given{n}();\n" for n in range(GIVEN)}
    sources = {f"given{n}.cpp": _part(f'#include "given{n}.h"\n', f"given{n}") for n in range(GIVEN)}
    cases = (ProgramCase(slug=f"c{n}", title=f"Case {n}", input=f"{n}\n", output=f"{n}\n") for n in range(CASES))
    return ProgramQuestion(
        slug="program",
        title="A program",
        language="cpp17",
        given={**headers, **sources},
        editable=("own*.cpp",),
        required=tuple(f"own{n}.cpp" for n in range(OWN)),
        cases=tuple(cases),
    )


def upload_of(number: int) -> dict[str, bytes]:
    """The files of a student, which no other student has."""
    main = "#include <iostream>\nint main() { int n; std::cin >> n; std::cout << n << '\\n'; }\n"
    sources = {f"own{n}.cpp": _part("", f"own{n}") for n in range(1, OWN)}
    return {name: f"// {number}\n{text}".encode() for name, text in {"own0.cpp": main, **sources}.items()}


def _part(includes: str, name: str) -> str:
    used = "#include <iostream>\n#include <map>\n#include <string>\n#include <vector>\n"
    body = 'std::map<std::string, std::vector<int>> all; all["x"].push_back(1); return std::to_string(all.size());'
    return f"{used}{includes}std::string {name}() {{ {body} }}\n"


def measure(share: float = 1.0) -> Iterator[Figure | str]:
    """`night.wait_p50` and `night.wait_p95`: from an upload to its report, beside grading it alone, while 300 uploads
    come in five minutes, graded by two workers of which one is for players. `night.build_cpu`: seconds of CPU time to
    compile each. `night.web_share`: of the night, how much of a core the site used. `night.minutes`: from the first
    upload to the last report. `night.busy`: how much of a core the compiler used meanwhile. Raises
    SandboxUnavailable."""
    uploads = max(1, round(UPLOADS * share))
    alone = _alone()
    with installation() as empty:
        free = empty.model_copy(update={"port": 0})
        settings = free.model_copy(update={"port": usable_port(free)})
        sessions = sessionmaker(connect(settings.database))
        with writing(sessions) as session:
            assignment = _assignment(session)
            tokens = [add_student(session, assignment, number) for number in range(uploads)]
        with programs(settings, ["web"], ["worker", GRADING], ["worker", PLAYERS], ["scheduler"]):
            wait(lambda: answers(settings) and _offers(sessions))
            before, started = _cpu(), monotonic()
            url = f"{address(settings)}/api/v1/assignments/{assignment}/submissions"
            with ThreadPoolExecutor(32) as pool:
                sent = []
                for number, token in enumerate(tokens):
                    sleep(max(0.0, started + number * LASTS_S / UPLOADS - monotonic()))
                    sent.append(pool.submit(_upload, url, token, number))
                    yield f"{number + 1} of {uploads} uploaded, {_graded(sessions)} graded"
                for each in sent:
                    each.result()
            wait(lambda: _graded(sessions) == uploads, REPORT_S)
            lasted, used = monotonic() - started, _cpu()
    waits, builds = _waits(sessions), _builds(sessions)
    yield Figure("night.wait_p50", percentile(waits, 50), "s", alone)
    yield Figure("night.wait_p95", percentile(waits, 95), "s", alone)
    yield Figure("night.build_cpu", percentile(builds, 50), "s")
    yield Figure("night.busy", sum(builds) / lasted, "cores")
    yield Figure("night.web_share", (used["web"] - before["web"]) / lasted, "cores")
    yield Figure("night.minutes", lasted / 60, "min", LASTS_S * share / 60)


def _alone() -> float:
    """Seconds to grade one upload, with nothing compiled before."""
    with closing(open_program_sandbox()) as box:
        started = perf_counter()
        graded = grade_program(question(), upload_of(0), ProgramJails(box, _no_author))
        if not all(result.passed for result in graded.results):
            raise SandboxError(f"the program of the benchmark does not pass: {graded.build.log}")
        return perf_counter() - started


def _no_author() -> Sandbox:
    raise SandboxError("the benchmark has no author's program")


def _assignment(session: Session) -> int:
    assignment = empty_assignment(session)
    publish(session, assignment, Definition(title="A program", questions=(question(),)), None, 0)
    return assignment.id


def _upload(url: str, token: str, number: int) -> None:
    edge = "bench"
    head = f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="own.zip"\r\n\r\n'
    body = head.encode() + pack(upload_of(number)) + f"\r\n--{edge}--\r\n".encode()
    headers = {"Authorization": f"Bearer {token}", "Content-Type": f"multipart/form-data; boundary={edge}"}
    with urlopen(Request(url, body, headers), timeout=PATIENCE_S) as reply:  # noqa: S310  # our own address
        assert reply.status == HTTPStatus.CREATED  # noqa: S101  # whatever else it is, urlopen raises


def _offers(sessions: Sessions) -> bool:
    with reading(sessions) as session:
        return any("cpp17" in offers.split() for offers in session.scalars(select(Worker.offers)))


def _graded(sessions: Sessions) -> int:
    with reading(sessions) as session:
        if trouble := session.scalar(select(Submission.trouble).where(Submission.trouble != "").limit(1)):
            raise SandboxError(trouble)
        return session.scalar(select(func.count()).where(Submission.state == JobState.DONE)) or 0


def _waits(sessions: Sessions) -> list[float]:
    with reading(sessions) as session:
        times = session.execute(select(Submission.queued_at, Submission.finished_at)).all()
    return [(finished - queued).total_seconds() for queued, finished in times if finished]


def _builds(sessions: Sessions) -> list[float]:
    with reading(sessions) as session:
        reports = [unpack(each) for each in session.scalars(select(Submission.report)) if each]
    return [question.build.cpu_s for report in reports for question in report.questions if question.build]


def _cpu() -> Mapping[str, float]:
    """Seconds of CPU time that each process of the installation and those that it started have used, by its kind."""
    children = [each for each in psutil.Process().children() if "deploy.cli" in each.cmdline()]
    return {each.cmdline()[-1]: sum(map(_seconds, [each, *each.children(recursive=True)])) for each in children}


def _seconds(process: psutil.Process) -> float:
    try:
        return float(sum(process.cpu_times()[:4]))
    except psutil.NoSuchProcess:
        return 0.0
