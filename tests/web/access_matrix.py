"""The access matrix: the status with which each page and each form answers each kind of person.

`python -m tests.web.access_matrix` prints it as docs/access.md has it.
"""

from tests.web.access_patterns import (
    CALLERS,
    PEOPLE,
    anybody,
    author,
    author_and_staff,
    instructors,
    markers_of_the_student,
    members,
    only,
    participants,
    signed_in,
    staff,
    staff_of_the_student,
)
from tests.web.api_access import API

TABLE = {
    "/healthz": anybody(200),
    "/metrics": anybody(200),  # to this machine; see test_metrics
    "/api/v1/openapi.json": anybody(200),
    "/": signed_in(200),
    "/account/": signed_in(200),
    "/calendar/word.ics": anybody(404),
    "/account/choose-password": anybody(303),  # only after a one-time password
    "/join/": signed_in(200),
    "/notices/": signed_in(200),
    "/notices/99999/0": signed_in(404),
    "/account/mail/": signed_in(200),
    "/account/data/": signed_in(200),
    "/account/data/export.zip": signed_in(200),
    "/imprint/": anybody(404),  # without a text
    "/privacy/": anybody(404),
    "/consent/": signed_in(404),
    "/mail/stop/word": anybody(404),
    "/register/": (200, *[303] * 7),  # who is signed in joins
    "/register/word": anybody(404),
    "/sign-in/forgotten": anybody(200),
    "/sign-in/reset/word": anybody(404),
    "/nowhere": anybody(404),
    "/courses/comp10001/bo/": members(200),
    "/courses/comp10001/bo/entry": members(200),
    "/courses/comp10001/bo/rules": members(200),
    "/courses/comp10001/bo/house-game/plays/0": members(200),
    "/courses/comp10001/bo/house-game/plays/9999": signed_in(404),
    "/courses/comp10001/bo/worked-turn/plays/0": members(200),
    "/courses/comp10001/pseudonym/": members(200),
    "/courses/comp10001/bo/starter.py": members(200),
    "/courses/comp10001/bo/kit.zip": members(200),
    "/courses/comp10001/bo/full-kit.zip": instructors(200),  # until an instructor offers it
    "/courses/comp10001/bo/files.zip": signed_in(404),  # it hands out none
    "/courses/comp10001/nothing/": signed_in(404),
    "/submissions/{submission}/": author_and_staff(200),
    "/submissions/{submission}/live": author_and_staff(200),
    "/submissions/{submission}/code/": author_and_staff(200),
    "/submissions/{submission}/code/?file=none.cpp": author_and_staff(404),
    "/submissions/{submission}/code/compared/": author_and_staff(200),
    "/submissions/{submission}/code/compared/?other=999999": author_and_staff(404),
    "/submissions/{submission}/source": author_and_staff(200),
    "/submissions/{submission}/cases/q1/999/test.py": author_and_staff(404),
    "/submissions/{submission}/files/src/a.cpp": author_and_staff(200),
    "/submissions/{submission}/files/b.cpp": author_and_staff(404),
    "/submissions/{submission}/reports/{regrade}": author_and_staff(200),
    "/submissions/{submission}/reports/999999": author_and_staff(404),
    "/submissions/{submission}/trial-game/": author_and_staff(302),
    "/submissions/{submission}/trial-game/plays/0": author_and_staff(200),
    "/submissions/{submission}/trial-game/record.json": author_and_staff(200),
    "/submissions/{submission}/trial-game/test.py": author_and_staff(200),
    "/comments/{comment}/": author_and_staff(303),
    "/comments/999999/": signed_in(404),
    "/submissions/{submission}/code/compared/?who=ada": author_and_staff(200),
    "/submissions/999999/": signed_in(404),
    "/tournaments/{tournament}/": members(200),
    "/tournaments/{tournament}/board": members(200),
    "/tournaments/{tournament}/standings.csv": instructors(200),
    "/tournaments/{tournament}/bracket/": members(200),
    "/tournaments/{tournament}/bracket/live": members(200),
    "/tournaments/{tournament}/watch/": instructors(200),
    "/tournaments/{tournament}/watch/found": instructors(200),
    "/tournaments/{tournament}/watch/entries/1/999999": instructors(404),
    "/entries/{entry}/": members(200),
    "/entries/999999/": signed_in(404),
    "/entries/{entry}/pictures/seats.csv": signed_in(404),  # without games there is nothing to draw
    "/games/{game}/": signed_in(302),
    "/games/{game}/offence": members(302),
    "/games/{game}/plays/0": members(200),
    "/games/{game}/plays/0?part=film": members(200),
    "/games/{game}/plays/1?part=test&of=0": author_and_staff(200, fellow=404),  # what Ada's player was asked
    "/games/{game}/plays/2?part=test&of=1": signed_in(404),  # a house bot
    "/games/{game}/plays/99999": signed_in(404),
    "/games/{game}/record.json": members(200),
    "/games/999999/plays/0": signed_in(404),
    "/comparisons/{comparison}/": author_and_staff(200),
    "/comparisons/{comparison}/live": author_and_staff(200),
    "/comparisons/{comparison}/pairs/0/new/": author_and_staff(302),
    "/comparisons/{comparison}/pairs/0/new/plays/0": author_and_staff(200),
    "/comparisons/{comparison}/pairs/0/new/record.json": author_and_staff(200),
    "/comparisons/999999/": signed_in(404),
    "/tournaments/{tournament}/custom-games/": members(200),
    "/tournaments/{tournament}/custom-games/list": members(200),
    "/custom-games/{custom_game}/": author_and_staff(302),
    "/custom-games/{custom_game}/plays/0": author_and_staff(200),
    "/custom-games/{custom_game}/offence": author_and_staff(302),
    "/custom-batches/{custom_batch}/": author_and_staff(200),
    "/custom-batches/{custom_batch}/live": author_and_staff(200),
    "/custom-games/{custom_game}/record.json": author_and_staff(200),
    "/custom-games/999999/": signed_in(404),
    "/assignments/{assignment}/by-hand/": members(200),
    "/by-hand/{hand_game}/": author_and_staff(200),
    "/by-hand/{hand_game}/live": author_and_staff(200),
    "/by-hand/{hand_game}/plays/": author_and_staff(302),
    "/by-hand/{hand_game}/plays/0": author_and_staff(200),
    "/by-hand/{hand_game}/record.json": author_and_staff(200),
    "/assignments/{assignment}/versions/": members(200),
    "/by-hand/999999/": signed_in(404),
    "/shared/shared-{custom_game}/": anybody(302),
    "/shared/shared-{custom_game}/plays/0": anybody(200),
    "/shared/nothing/plays/0": anybody(404),
    "/shared-games/nothing/": anybody(302),
    "/shared-games/nothing/plays/0": anybody(404),
    "/assignments/{assignment}/manage/": staff(200),
    "/assignments/{assignment}/insight/": staff(200),
    "/assignments/{assignment}/insight/uploads.csv": staff_of_the_student(200),
    "/assignments/{assignment}/insight/final.csv": staff(404),
    "/assignments/{assignment}/insight/funnel/0/": staff(200),
    "/assignments/{assignment}/insight/funnel/0/list.csv": staff(200),
    "/assignments/{assignment}/insight/nothing/0/": staff(404),
    "/assignments/{assignment}/queue/": instructors(200),
    "/assignments/{assignment}/queue/graded.csv": instructors(200),
    "/assignments/{assignment}/regrades/": instructors(200),
    "/assignments/{assignment}/dry-runs/{dry_run}/": instructors(200),
    "/assignments/{assignment}/dry-runs/{dry_run}/live": instructors(200),
    "/assignments/{assignment}/dry-runs/{batch}/": instructors(404),
    "/regrades/{dry_run}/": instructors(303),
    "/regrades/{batch}/": instructors(200),
    "/regrades/{batch}/live": instructors(200),
    "/regrades/{batch}/changes.csv": instructors(200),
    "/regrades/999999/": signed_in(404),
    "/assignments/{assignment}/people/": staff(200),
    "/assignments/{assignment}/requests/": staff(200),
    "/assignments/{assignment}/people/people.csv": staff(200),
    "/assignments/{assignment}/opened/": instructors(200),
    "/assignments/{assignment}/people/add/": instructors(200),
    "/assignments/{assignment}/people/1/": instructors(200),
    "/assignments/{assignment}/people/5/": instructors(404),  # somebody of another course
    "/assignments/{assignment}/people/1/history": author_and_staff(200),
    "/assignments/{assignment}/people/5/history": staff(404),  # of another course
    "/assignments/{assignment}/settings/": instructors(200),
    "/courses/comp10001/": instructors(200),
    "/courses/comp10001/new-assignment/": instructors(200),
    "/courses/comp10001/settings/": instructors(200),
    "/courses/comp10001/webhooks/": instructors(200),
    "/new-course/": instructors(200, outsider=403),
    "/assignments/{assignment}/edit/": instructors(200),
    "/assignments/{assignment}/edit/text/": instructors(200),
    "/assignments/{assignment}/edit/starter/": instructors(200),
    "/assignments/{assignment}/edit/preview/": instructors(200),
    "/assignments/{assignment}/edit/questions/": instructors(200),
    "/assignments/{assignment}/edit/questions/q1/": instructors(200),
    "/assignments/{assignment}/edit/questions/none/": instructors(404),
    "/assignments/{assignment}/edit/questions/q1/files/given/": instructors(404),  # it asks for a function
    "/assignments/{assignment}/edit/questions/q1/files/given/Deck.cpp": instructors(404),
    "/assignments/{assignment}/edit/questions/q1/cases/": instructors(404),
    "/assignments/{assignment}/edit/questions/q1/cases/live": instructors(404),
    "/assignments/{assignment}/edit/questions/q1/cases/01-new/": instructors(404),
    "/assignments/{assignment}/edit/tournaments/": instructors(200),
    "/assignments/{assignment}/edit/players/": instructors(200),
    "/assignments/{assignment}/edit/try/": instructors(200),
    "/assignments/{assignment}/edit/try/live": instructors(200),
    "/assignments/{assignment}/edit/publish/": instructors(200),
    "/assignments/{assignment}/edit/publish/live": instructors(200),
    "/assignments/{assignment}/edit/versions/": instructors(200),
    "/assignments/{assignment}/edit/versions/1/": instructors(200),
    "/assignments/{assignment}/edit/versions/999/": instructors(404),
    "/courses/comp10001/gradebook/": members(200),
    "/courses/comp10001/gradebook/gradebook.csv": staff(200),
    "/assignments/{assignment}/mark": members(303),
    "/assignments/{assignment}/marks/": staff(200),
    "/assignments/{assignment}/marks/marks.csv": staff(200),
    "/assignments/{assignment}/marks/submissions.zip": staff_of_the_student(200),
    "/assignments/{assignment}/marking/": only(instructor=303, tutor=303, other_tutor=200, observer=303),
    "/assignments/{assignment}/marks/rules": instructors(200),
    "/assignments/{assignment}/marks/publication": instructors(200),
    "/assignments/{assignment}/marks/record.jsonl": instructors(404),  # nothing is published
    "/assignments/{assignment}/marks/files/": instructors(200),
    "/assignments/{assignment}/marks/files/canvas": instructors(200),
    "/assignments/{assignment}/marks/files/nothing": instructors(404),
    "/assignments/{assignment}/marks/rubric/": staff(200),
    "/assignments/{assignment}/marks/rubric/rubric.csv": staff(200),
    "/courses/comp10001/gradebook/files/": instructors(200),
    "/assignments/{assignment}/marks/1/": author_and_staff(200),
    "/assignments/{assignment}/marks/5/": staff(404),  # somebody of another course
    "/assignments/{assignment}/extensions/": instructors(200),
    "/assignments/{assignment}/section-dates/": instructors(200),
    "/assignments/{assignment}/final/": members(200),
    "/assignments/{assignment}/final/progress": instructors(200),
    "/assignments/{assignment}/final/marks.csv": instructors(404),
    "/assignments/{assignment}/final/record.jsonl.gz": instructors(404),
}
FORMS = {
    "/submissions/{submission}/requests": author(400),
    "/requests/{request}/answer": markers_of_the_student(400),
    "/requests/{request}/withdraw": author(303),
    "/submissions/{submission}/comments": markers_of_the_student(404),
    "/comments/{comment}/": only(instructor=409, other_tutor=404),
    "/account/tokens": signed_in(422),
    "/account/choose-password": anybody(303),
    "/courses/comp10001/pseudonym/": participants(409),
    "/courses/comp10001/bo/submissions": participants(422),
    "/submissions/{submission}/enter": author(303),
    "/tournaments/{tournament}/bracket/": instructors(409),
    "/tournaments/{tournament}/bracket/do": instructors(400),
    "/submissions/{submission}/compare": author(303),
    "/comparisons/{comparison}/cancel": author(303),
    "/custom-batches/{custom_batch}/cancel": author(303),
    "/tournaments/{tournament}/custom-games/": participants(409),
    "/custom-games/{custom_game}/share": author(303),
    "/games/{game}/share": only(author=303, instructor=303),
    "/tournaments/{tournament}/watch/": instructors(303),
    "/assignments/{assignment}/people/1/remove": instructors(422),
    "/assignments/{assignment}/people/add/": instructors(422),
    "/assignments/{assignment}/people/add/confirm": instructors(422),
    "/assignments/{assignment}/people/1/name": instructors(409),
    "/assignments/{assignment}/people/1/pseudonym": instructors(409),
    "/assignments/{assignment}/people/1/role": instructors(400),
    "/assignments/{assignment}/people/5/password": instructors(404),
    "/assignments/{assignment}/people/1/extension": instructors(303),
    "/assignments/{assignment}/people/1/bring-back": instructors(409),
    "/assignments/{assignment}/people/5/view": instructors(404),
    "/view/leave": anybody(303),
    "/join/": signed_in(409),
    "/assignments/{assignment}/people/code": instructors(409),
    "/notices/read": anybody(303),
    "/account/calendar": anybody(303),
    "/account/language": anybody(303),
    "/account/mail/": anybody(303),
    "/consent/": anybody(303),
    "/mail/stop/word": anybody(404),
    "/register/": anybody(409),
    "/register/word": anybody(404),
    "/sign-in/forgotten": anybody(200),
    "/sign-in/reset/word": anybody(404),
    "/entries/{entry}/withdraw": only(author=303, instructor=409),
    "/entries/{entry}/reinstate": only(author=303, instructor=409),
    "/assignments/{assignment}/settings/exclusions": instructors(404),
    "/assignments/{assignment}/settings/exclusions/1/revoke": instructors(404),
    "/assignments/{assignment}/settings/": instructors(303),
    "/assignments/{assignment}/settings/deadline": instructors(303),
    "/assignments/{assignment}/manage/tournament": instructors(400),
    "/assignments/{assignment}/queue/give-up/{submission}": instructors(422),
    "/assignments/{assignment}/manage/requeue/block/1": instructors(303),
    "/assignments/{assignment}/manage/requeue/submission/{submission}": instructors(303),
    "/assignments/{assignment}/manage/requeue/block/999999": instructors(404),
    "/assignments/{assignment}/regrades/": instructors(400),
    "/assignments/{assignment}/dry-runs/": instructors(303),
    "/assignments/{assignment}/dry-runs/{dry_run}/cancel": instructors(303),
    "/assignments/{assignment}/dry-runs/{dry_run}/again": instructors(303),
    "/regrades/{batch}/do": instructors(400),
    "/regrades/{batch}/withdraw": instructors(303),
    "/courses/comp10001/new-assignment/": instructors(422),
    "/courses/comp10001/settings/": instructors(422),
    "/courses/comp10001/webhooks/": instructors(422),
    "/courses/comp10001/webhooks/999999/test": instructors(404),
    "/courses/comp10001/webhooks/999999/remove": instructors(404),
    "/new-course/": instructors(422, outsider=403),
    "/assignments/{assignment}/archive": instructors(303),
    "/assignments/{assignment}/delete": instructors(303),
    "/assignments/{assignment}/edit/": instructors(409),
    "/assignments/{assignment}/edit/discard": instructors(303),
    "/assignments/{assignment}/edit/text/": instructors(303),
    "/assignments/{assignment}/edit/rendered": instructors(200),
    "/assignments/{assignment}/edit/starter/": instructors(409),
    "/assignments/{assignment}/edit/questions/": instructors(303),
    "/assignments/{assignment}/edit/questions/add": instructors(422),
    "/assignments/{assignment}/edit/questions/q1/": instructors(409),
    "/assignments/{assignment}/edit/questions/q1/rename": instructors(422),
    "/assignments/{assignment}/edit/questions/q1/remove": instructors(303),
    "/assignments/{assignment}/edit/questions/q1/files/given/": instructors(404),
    "/assignments/{assignment}/edit/questions/q1/add-files/given": instructors(404),
    "/assignments/{assignment}/edit/questions/q1/files/given/Deck.cpp": instructors(404),
    "/assignments/{assignment}/edit/questions/q1/cases/add": instructors(404),
    "/assignments/{assignment}/edit/questions/q1/cases/upload": instructors(404),
    "/assignments/{assignment}/edit/questions/q1/cases/change": instructors(404),
    "/assignments/{assignment}/edit/questions/q1/cases/outputs": instructors(404),
    "/assignments/{assignment}/edit/questions/q1/cases/01-new/": instructors(404),
    "/assignments/{assignment}/edit/questions/q1/cases/01-new/rename": instructors(404),
    "/assignments/{assignment}/edit/tournaments/": instructors(303),
    "/assignments/{assignment}/edit/tournaments/add": instructors(422),
    "/assignments/{assignment}/edit/tournaments/remove": instructors(303),
    "/assignments/{assignment}/edit/players/": instructors(303),
    "/assignments/{assignment}/edit/players/add": instructors(422),
    "/assignments/{assignment}/edit/players/remove": instructors(303),
    "/assignments/{assignment}/edit/try/": instructors(422),
    "/assignments/{assignment}/edit/publish/": instructors(422),
    "/assignments/{assignment}/edit/publish/not-then": instructors(303),
    "/assignments/{assignment}/edit/publish/over": instructors(303),
    "/assignments/{assignment}/edit/versions/1/take": instructors(303),
    "/courses/comp10001/gradebook/weights": instructors(200),
    "/assignments/{assignment}/marks/rules": instructors(200),
    "/assignments/{assignment}/marks/publication": instructors(400),
    "/assignments/{assignment}/marks/files/": instructors(422),
    "/assignments/{assignment}/marks/rubric/": only(instructor=422, tutor=422, other_tutor=422),
    "/courses/comp10001/gradebook/files/": instructors(422),
    "/assignments/{assignment}/marks/1/": only(instructor=303, tutor=409, other_tutor=404),
    "/assignments/{assignment}/extensions/": instructors(409),
    "/assignments/{assignment}/section-dates/": instructors(409),
    "/submissions/{submission}/count": author(303),
    "/assignments/{assignment}/final/freeze": instructors(422),
    "/assignments/{assignment}/final/do": instructors(400),
    "/assignments/{assignment}/by-hand/": participants(303),
    "/by-hand/{hand_game}/": author(409),  # it is over
    "/by-hand/{hand_game}/ask": author(303),
    "/assignments/{assignment}/people/1/particulars": instructors(303),  # the student leaves the section
}


INTRODUCTION = """# Who may see and do what

There are four roles in a course; an instructor assigns them on a person's page, in the file of people, or by the API.

- A **student** sees the published assignments, all leaderboards and games, and their own work. They know the others by
  their pseudonyms.
- A **tutor** sees the names, reports, files and replays of the students in their sections. The sections are named in
  the tutor's own field “Section”, separated by semicolons; with none, or with “all”, a tutor sees all students.
  What belongs to other sections does not exist for a tutor. In the gradebook tutors mark the rubric of their students.
  Tutors change no settings.
- An **instructor** sees and changes everything in the course, and alone assigns roles.
- An **observer**, such as a moderator or an external examiner, sees what a tutor of all sections sees, with names, and
  changes nothing: whatever they send is refused.

These tables list the status with which each page and each form answers each kind of person. 200 shows the page. 302 and
303 redirect: to the sign-in page, if nobody is signed in. 403 refuses. 404 says that there is no such thing. 400, 409
and 422 are a form's answers when it is sent empty: a person who gets them may use the form. The tests check the site
against these tables, which have every address except signing in and out, changing the password and revoking a token,
which have tests of their own, and what only some sites have: [single sign-on](single-sign-on.md), the second factor
and [LTI](lti.md).
`web/site/access.py` decides what exists for whom, and `web/site/roles.py` what a role may do; the JSON API asks the
same functions.
"""

API_INTRODUCTION = """Addresses of the JSON API begin with `/api/v1`; 401 asks for a token. Operators have no rights of
their own on the site: they act at the command line, and see only the courses of which they are members.

"""


def document() -> str:
    """The page of the docs."""
    parts = [INTRODUCTION]
    for title, people, rows in (("Pages", PEOPLE, TABLE), ("Forms", PEOPLE, FORMS), ("API", CALLERS, API)):
        head = f"| address | {' | '.join(people.values())} |\n{'|---' * (len(people) + 1)}|\n"
        parts += [f"\n## {title}\n\n{API_INTRODUCTION if rows is API else ''}", head]
        parts += [f"| `{path}` | {' | '.join(map(str, statuses))} |\n" for path, statuses in rows.items()]
    return "".join(parts)


if __name__ == "__main__":
    print(document(), end="")
