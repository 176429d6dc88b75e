"""The access matrix: the status with which each page and each form answers each kind of person.

`python -m tests.web.access_matrix` prints it as docs/access.md has it.
"""

from tests.web.api_access import API

PEOPLE = {
    "": "nobody signed in",
    "ada": "the student whose work it is",
    "ben": "another student",
    "ines": "instructor",
    "otto": "member of another course",
    "tess": "tutor of the student’s section",
    "theo": "tutor of another section",
    "olga": "observer",
}
"""Who asks, by login, in the order of the columns."""

CALLERS = {**PEOPLE, "opal": "operator, who is in no course"}
"""Who calls the API; "" has no token."""

SIGN_IN = 303
TABLE = {
    "/healthz": (200, 200, 200, 200, 200, 200, 200, 200),
    "/metrics": (200, 200, 200, 200, 200, 200, 200, 200),  # to this machine; see test_metrics
    "/api/v1/openapi.json": (200, 200, 200, 200, 200, 200, 200, 200),
    "/": (SIGN_IN, 200, 200, 200, 200, 200, 200, 200),
    "/account/": (SIGN_IN, 200, 200, 200, 200, 200, 200, 200),
    "/account/choose-password": (
        SIGN_IN,
        SIGN_IN,
        SIGN_IN,
        SIGN_IN,
        SIGN_IN,
        SIGN_IN,
        SIGN_IN,
        SIGN_IN,
    ),  # only after a one-time password
    "/join/": (SIGN_IN, 200, 200, 200, 200, 200, 200, 200),
    "/notices/": (SIGN_IN, 200, 200, 200, 200, 200, 200, 200),
    "/nowhere": (404, 404, 404, 404, 404, 404, 404, 404),
    "/courses/comp10001/bo/": (SIGN_IN, 200, 200, 200, 404, 200, 200, 200),
    "/courses/comp10001/bo/entry": (SIGN_IN, 200, 200, 200, 404, 200, 200, 200),
    "/courses/comp10001/bo/rules": (SIGN_IN, 200, 200, 200, 404, 200, 200, 200),
    "/courses/comp10001/bo/house-game/plays/0": (SIGN_IN, 200, 200, 200, 404, 200, 200, 200),
    "/courses/comp10001/bo/house-game/plays/9999": (SIGN_IN, 404, 404, 404, 404, 404, 404, 404),
    "/courses/comp10001/bo/worked-turn/plays/0": (SIGN_IN, 200, 200, 200, 404, 200, 200, 200),
    "/courses/comp10001/pseudonym/": (SIGN_IN, 200, 200, 200, 404, 200, 200, 200),
    "/courses/comp10001/bo/starter.py": (SIGN_IN, 200, 200, 200, 404, 200, 200, 200),
    "/courses/comp10001/bo/kit.zip": (SIGN_IN, 200, 200, 200, 404, 200, 200, 200),
    "/courses/comp10001/bo/full-kit.zip": (SIGN_IN, 403, 403, 200, 404, 403, 403, 403),  # until an instructor offers it
    "/courses/comp10001/bo/files.zip": (SIGN_IN, 404, 404, 404, 404, 404, 404, 404),  # it hands out none
    "/courses/comp10001/nothing/": (SIGN_IN, 404, 404, 404, 404, 404, 404, 404),
    "/submissions/{submission}/": (SIGN_IN, 200, 403, 200, 404, 200, 404, 200),
    "/submissions/{submission}/live": (SIGN_IN, 200, 403, 200, 404, 200, 404, 200),
    "/submissions/{submission}/code/": (SIGN_IN, 200, 403, 200, 404, 200, 404, 200),
    "/submissions/{submission}/code/?file=none.cpp": (SIGN_IN, 404, 403, 404, 404, 404, 404, 404),
    "/submissions/{submission}/code/compared/": (SIGN_IN, 200, 403, 200, 404, 200, 404, 200),
    "/submissions/{submission}/code/compared/?other=999999": (SIGN_IN, 404, 403, 404, 404, 404, 404, 404),
    "/submissions/{submission}/source": (SIGN_IN, 200, 403, 200, 404, 200, 404, 200),
    "/submissions/{submission}/cases/q1/999/test.py": (SIGN_IN, 404, 403, 404, 404, 404, 404, 404),
    "/submissions/{submission}/files/src/a.cpp": (SIGN_IN, 200, 403, 200, 404, 200, 404, 200),
    "/submissions/{submission}/files/b.cpp": (SIGN_IN, 404, 403, 404, 404, 404, 404, 404),
    "/submissions/{submission}/reports/{regrade}": (SIGN_IN, 200, 403, 200, 404, 200, 404, 200),
    "/submissions/{submission}/reports/999999": (SIGN_IN, 404, 403, 404, 404, 404, 404, 404),
    "/submissions/{submission}/trial-game/": (SIGN_IN, 302, 403, 302, 404, 302, 404, 302),
    "/submissions/{submission}/trial-game/plays/0": (SIGN_IN, 200, 403, 200, 404, 200, 404, 200),
    "/submissions/{submission}/trial-game/record.json": (SIGN_IN, 200, 403, 200, 404, 200, 404, 200),
    "/submissions/{submission}/trial-game/test.py": (SIGN_IN, 200, 403, 200, 404, 200, 404, 200),
    "/comments/{comment}/": (SIGN_IN, 303, 403, 303, 404, 303, 404, 303),
    "/comments/999999/": (SIGN_IN, 404, 404, 404, 404, 404, 404, 404),
    "/submissions/{submission}/code/compared/?who=ada": (SIGN_IN, 200, 403, 200, 404, 200, 404, 200),
    "/submissions/999999/": (SIGN_IN, 404, 404, 404, 404, 404, 404, 404),
    "/tournaments/{tournament}/": (SIGN_IN, 200, 200, 200, 404, 200, 200, 200),
    "/tournaments/{tournament}/board": (SIGN_IN, 200, 200, 200, 404, 200, 200, 200),
    "/tournaments/{tournament}/standings.csv": (SIGN_IN, 403, 403, 200, 404, 403, 403, 403),
    "/tournaments/{tournament}/bracket/": (SIGN_IN, 200, 200, 200, 404, 200, 200, 200),
    "/tournaments/{tournament}/bracket/live": (SIGN_IN, 200, 200, 200, 404, 200, 200, 200),
    "/tournaments/{tournament}/watch/": (SIGN_IN, 403, 403, 200, 404, 403, 403, 403),
    "/tournaments/{tournament}/watch/found": (SIGN_IN, 403, 403, 200, 404, 403, 403, 403),
    "/tournaments/{tournament}/watch/entries/1/999999": (SIGN_IN, 403, 403, 404, 404, 403, 403, 403),
    "/entries/{entry}/": (SIGN_IN, 200, 200, 200, 404, 200, 200, 200),
    "/entries/999999/": (SIGN_IN, 404, 404, 404, 404, 404, 404, 404),
    "/entries/{entry}/pictures/seats.csv": (
        SIGN_IN,
        404,
        404,
        404,
        404,
        404,
        404,
        404,
    ),  # without games there is nothing to draw
    "/games/{game}/": (SIGN_IN, 302, 302, 302, 302, 302, 302, 302),
    "/games/{game}/offence": (SIGN_IN, 302, 302, 302, 404, 302, 302, 302),
    "/games/{game}/plays/0": (SIGN_IN, 200, 200, 200, 404, 200, 200, 200),
    "/games/{game}/plays/0?part=film": (SIGN_IN, 200, 200, 200, 404, 200, 200, 200),
    "/games/{game}/plays/1?part=test&of=0": (SIGN_IN, 200, 404, 200, 404, 200, 404, 200),  # what Ada's player was asked
    "/games/{game}/plays/2?part=test&of=1": (SIGN_IN, 404, 404, 404, 404, 404, 404, 404),  # a house bot
    "/games/{game}/plays/99999": (SIGN_IN, 404, 404, 404, 404, 404, 404, 404),
    "/games/{game}/record.json": (SIGN_IN, 200, 200, 200, 404, 200, 200, 200),
    "/games/999999/plays/0": (SIGN_IN, 404, 404, 404, 404, 404, 404, 404),
    "/comparisons/{comparison}/": (SIGN_IN, 200, 403, 200, 404, 200, 404, 200),
    "/comparisons/{comparison}/live": (SIGN_IN, 200, 403, 200, 404, 200, 404, 200),
    "/comparisons/{comparison}/pairs/0/new/": (SIGN_IN, 302, 403, 302, 404, 302, 404, 302),
    "/comparisons/{comparison}/pairs/0/new/plays/0": (SIGN_IN, 200, 403, 200, 404, 200, 404, 200),
    "/comparisons/{comparison}/pairs/0/new/record.json": (SIGN_IN, 200, 403, 200, 404, 200, 404, 200),
    "/comparisons/999999/": (SIGN_IN, 404, 404, 404, 404, 404, 404, 404),
    "/tournaments/{tournament}/custom-games/": (SIGN_IN, 200, 200, 200, 404, 200, 200, 200),
    "/tournaments/{tournament}/custom-games/list": (SIGN_IN, 200, 200, 200, 404, 200, 200, 200),
    "/custom-games/{custom_game}/": (SIGN_IN, 302, 403, 302, 404, 302, 404, 302),
    "/custom-games/{custom_game}/plays/0": (SIGN_IN, 200, 403, 200, 404, 200, 404, 200),
    "/custom-games/{custom_game}/offence": (SIGN_IN, 302, 403, 302, 404, 302, 404, 302),
    "/custom-batches/{custom_batch}/": (SIGN_IN, 200, 403, 200, 404, 200, 404, 200),
    "/custom-batches/{custom_batch}/live": (SIGN_IN, 200, 403, 200, 404, 200, 404, 200),
    "/custom-games/{custom_game}/record.json": (SIGN_IN, 200, 403, 200, 404, 200, 404, 200),
    "/custom-games/999999/": (SIGN_IN, 404, 404, 404, 404, 404, 404, 404),
    "/assignments/{assignment}/by-hand/": (SIGN_IN, 200, 200, 200, 404, 200, 200, 200),
    "/by-hand/{hand_game}/": (SIGN_IN, 200, 403, 200, 404, 200, 404, 200),
    "/by-hand/{hand_game}/live": (SIGN_IN, 200, 403, 200, 404, 200, 404, 200),
    "/by-hand/{hand_game}/plays/": (SIGN_IN, 302, 403, 302, 404, 302, 404, 302),
    "/by-hand/{hand_game}/plays/0": (SIGN_IN, 200, 403, 200, 404, 200, 404, 200),
    "/by-hand/{hand_game}/record.json": (SIGN_IN, 200, 403, 200, 404, 200, 404, 200),
    "/assignments/{assignment}/versions/": (SIGN_IN, 200, 200, 200, 404, 200, 200, 200),
    "/by-hand/999999/": (SIGN_IN, 404, 404, 404, 404, 404, 404, 404),
    "/shared/shared-{custom_game}/": (302, 302, 302, 302, 302, 302, 302, 302),
    "/shared/shared-{custom_game}/plays/0": (200, 200, 200, 200, 200, 200, 200, 200),
    "/shared/nothing/plays/0": (404, 404, 404, 404, 404, 404, 404, 404),
    "/shared-games/nothing/": (302, 302, 302, 302, 302, 302, 302, 302),
    "/shared-games/nothing/plays/0": (404, 404, 404, 404, 404, 404, 404, 404),
    "/assignments/{assignment}/manage/": (SIGN_IN, 403, 403, 200, 404, 200, 200, 200),
    "/assignments/{assignment}/insight/": (SIGN_IN, 403, 403, 200, 404, 200, 200, 200),
    "/assignments/{assignment}/insight/uploads.csv": (SIGN_IN, 403, 403, 200, 404, 200, 404, 200),
    "/assignments/{assignment}/insight/final.csv": (SIGN_IN, 403, 403, 404, 404, 404, 404, 404),
    "/assignments/{assignment}/insight/funnel/0/": (SIGN_IN, 403, 403, 200, 404, 200, 200, 200),
    "/assignments/{assignment}/insight/funnel/0/list.csv": (SIGN_IN, 403, 403, 200, 404, 200, 200, 200),
    "/assignments/{assignment}/insight/nothing/0/": (SIGN_IN, 403, 403, 404, 404, 404, 404, 404),
    "/assignments/{assignment}/queue/": (SIGN_IN, 403, 403, 200, 404, 403, 403, 403),
    "/assignments/{assignment}/queue/graded.csv": (SIGN_IN, 403, 403, 200, 404, 403, 403, 403),
    "/assignments/{assignment}/regrades/": (SIGN_IN, 403, 403, 200, 404, 403, 403, 403),
    "/assignments/{assignment}/dry-runs/{dry_run}/": (SIGN_IN, 403, 403, 200, 404, 403, 403, 403),
    "/assignments/{assignment}/dry-runs/{dry_run}/live": (SIGN_IN, 403, 403, 200, 404, 403, 403, 403),
    "/assignments/{assignment}/dry-runs/{batch}/": (SIGN_IN, 403, 403, 404, 404, 403, 403, 403),
    "/regrades/{dry_run}/": (SIGN_IN, 403, 403, 303, 404, 403, 403, 403),
    "/regrades/{batch}/": (SIGN_IN, 403, 403, 200, 404, 403, 403, 403),
    "/regrades/{batch}/live": (SIGN_IN, 403, 403, 200, 404, 403, 403, 403),
    "/regrades/{batch}/changes.csv": (SIGN_IN, 403, 403, 200, 404, 403, 403, 403),
    "/regrades/999999/": (SIGN_IN, 404, 404, 404, 404, 404, 404, 404),
    "/assignments/{assignment}/people/": (SIGN_IN, 403, 403, 200, 404, 200, 200, 200),
    "/assignments/{assignment}/requests/": (SIGN_IN, 403, 403, 200, 404, 200, 200, 200),
    "/assignments/{assignment}/people/people.csv": (SIGN_IN, 403, 403, 200, 404, 200, 200, 200),
    "/assignments/{assignment}/people/add/": (SIGN_IN, 403, 403, 200, 404, 403, 403, 403),
    "/assignments/{assignment}/people/1/": (SIGN_IN, 403, 403, 200, 404, 403, 403, 403),
    "/assignments/{assignment}/people/5/": (SIGN_IN, 403, 403, 404, 404, 403, 403, 403),  # somebody of another course
    "/assignments/{assignment}/people/1/history": (SIGN_IN, 200, 403, 200, 404, 200, 404, 200),
    "/assignments/{assignment}/people/5/history": (SIGN_IN, 403, 403, 404, 404, 404, 404, 404),  # of another course
    "/assignments/{assignment}/settings/": (SIGN_IN, 403, 403, 200, 404, 403, 403, 403),
    "/courses/comp10001/": (SIGN_IN, 403, 403, 200, 404, 403, 403, 403),
    "/new-course/": (SIGN_IN, 403, 403, 200, 403, 403, 403, 403),
    "/assignments/{assignment}/edit/": (SIGN_IN, 403, 403, 200, 404, 403, 403, 403),
    "/assignments/{assignment}/edit/text/": (SIGN_IN, 403, 403, 200, 404, 403, 403, 403),
    "/assignments/{assignment}/edit/starter/": (SIGN_IN, 403, 403, 200, 404, 403, 403, 403),
    "/assignments/{assignment}/edit/preview/": (SIGN_IN, 403, 403, 200, 404, 403, 403, 403),
    "/assignments/{assignment}/edit/questions/": (SIGN_IN, 403, 403, 200, 404, 403, 403, 403),
    "/assignments/{assignment}/edit/questions/q1/": (SIGN_IN, 403, 403, 200, 404, 403, 403, 403),
    "/assignments/{assignment}/edit/questions/none/": (SIGN_IN, 403, 403, 404, 404, 403, 403, 403),
    "/assignments/{assignment}/edit/questions/q1/files/given/": (
        SIGN_IN,
        403,
        403,
        404,
        404,
        403,
        403,
        403,
    ),  # it asks for a function
    "/assignments/{assignment}/edit/questions/q1/files/given/Deck.cpp": (SIGN_IN, 403, 403, 404, 404, 403, 403, 403),
    "/assignments/{assignment}/edit/questions/q1/cases/": (SIGN_IN, 403, 403, 404, 404, 403, 403, 403),
    "/assignments/{assignment}/edit/questions/q1/cases/live": (SIGN_IN, 403, 403, 404, 404, 403, 403, 403),
    "/assignments/{assignment}/edit/questions/q1/cases/01-new/": (SIGN_IN, 403, 403, 404, 404, 403, 403, 403),
    "/assignments/{assignment}/edit/tournaments/": (SIGN_IN, 403, 403, 200, 404, 403, 403, 403),
    "/assignments/{assignment}/edit/players/": (SIGN_IN, 403, 403, 200, 404, 403, 403, 403),
    "/assignments/{assignment}/edit/try/": (SIGN_IN, 403, 403, 200, 404, 403, 403, 403),
    "/assignments/{assignment}/edit/try/live": (SIGN_IN, 403, 403, 200, 404, 403, 403, 403),
    "/assignments/{assignment}/edit/publish/": (SIGN_IN, 403, 403, 200, 404, 403, 403, 403),
    "/assignments/{assignment}/edit/publish/live": (SIGN_IN, 403, 403, 200, 404, 403, 403, 403),
    "/assignments/{assignment}/edit/versions/": (SIGN_IN, 403, 403, 200, 404, 403, 403, 403),
    "/assignments/{assignment}/edit/versions/1/": (SIGN_IN, 403, 403, 200, 404, 403, 403, 403),
    "/assignments/{assignment}/edit/versions/999/": (SIGN_IN, 403, 403, 404, 404, 403, 403, 403),
    "/courses/comp10001/gradebook/": (SIGN_IN, 200, 200, 200, 404, 200, 200, 200),
    "/courses/comp10001/gradebook/gradebook.csv": (SIGN_IN, 403, 403, 200, 404, 200, 200, 200),
    "/assignments/{assignment}/mark": (SIGN_IN, 303, 303, 303, 404, 303, 303, 303),
    "/assignments/{assignment}/marks/": (SIGN_IN, 403, 403, 200, 404, 200, 200, 200),
    "/assignments/{assignment}/marks/marks.csv": (SIGN_IN, 403, 403, 200, 404, 200, 200, 200),
    "/assignments/{assignment}/marks/rules": (SIGN_IN, 403, 403, 200, 404, 403, 403, 403),
    "/assignments/{assignment}/marks/publication": (SIGN_IN, 403, 403, 200, 404, 403, 403, 403),
    "/assignments/{assignment}/marks/record.jsonl": (
        SIGN_IN,
        403,
        403,
        404,
        404,
        403,
        403,
        403,
    ),  # nothing is published
    "/assignments/{assignment}/marks/files/": (SIGN_IN, 403, 403, 200, 404, 403, 403, 403),
    "/assignments/{assignment}/marks/files/canvas": (SIGN_IN, 403, 403, 200, 404, 403, 403, 403),
    "/assignments/{assignment}/marks/files/nothing": (SIGN_IN, 403, 403, 404, 404, 403, 403, 403),
    "/assignments/{assignment}/marks/rubric/": (SIGN_IN, 403, 403, 200, 404, 200, 200, 200),
    "/assignments/{assignment}/marks/rubric/rubric.csv": (SIGN_IN, 403, 403, 200, 404, 200, 200, 200),
    "/courses/comp10001/gradebook/files/": (SIGN_IN, 403, 403, 200, 404, 403, 403, 403),
    "/assignments/{assignment}/marks/1/": (SIGN_IN, 200, 403, 200, 404, 200, 404, 200),
    "/assignments/{assignment}/marks/5/": (SIGN_IN, 403, 403, 404, 404, 404, 404, 404),  # somebody of another course
    "/assignments/{assignment}/extensions/": (SIGN_IN, 403, 403, 200, 404, 403, 403, 403),
    "/assignments/{assignment}/section-dates/": (SIGN_IN, 403, 403, 200, 404, 403, 403, 403),
    "/assignments/{assignment}/final/": (SIGN_IN, 200, 200, 200, 404, 200, 200, 200),
    "/assignments/{assignment}/final/progress": (SIGN_IN, 403, 403, 200, 404, 403, 403, 403),
    "/assignments/{assignment}/final/marks.csv": (SIGN_IN, 403, 403, 404, 404, 403, 403, 403),
    "/assignments/{assignment}/final/record.jsonl.gz": (SIGN_IN, 403, 403, 404, 404, 403, 403, 403),
}
FORMS = {
    "/submissions/{submission}/requests": (SIGN_IN, 400, 403, 403, 404, 403, 404, 403),
    "/requests/{request}/answer": (SIGN_IN, 403, 403, 400, 404, 400, 404, 403),
    "/requests/{request}/withdraw": (SIGN_IN, 303, 403, 403, 404, 403, 404, 403),
    "/submissions/{submission}/comments": (SIGN_IN, 403, 403, 404, 404, 404, 404, 403),
    "/comments/{comment}/": (SIGN_IN, 403, 403, 409, 404, 403, 404, 403),
    "/account/tokens": (SIGN_IN, 422, 422, 422, 422, 422, 422, 422),
    "/account/choose-password": (SIGN_IN, SIGN_IN, SIGN_IN, SIGN_IN, SIGN_IN, SIGN_IN, SIGN_IN, SIGN_IN),
    "/courses/comp10001/pseudonym/": (SIGN_IN, 409, 409, 409, 404, 409, 409, 403),
    "/courses/comp10001/bo/submissions": (SIGN_IN, 422, 422, 422, 404, 422, 422, 403),
    "/submissions/{submission}/enter": (SIGN_IN, 303, 403, 403, 404, 403, 404, 403),
    "/tournaments/{tournament}/bracket/": (SIGN_IN, 403, 403, 409, 404, 403, 403, 403),
    "/tournaments/{tournament}/bracket/do": (SIGN_IN, 403, 403, 400, 404, 403, 403, 403),
    "/submissions/{submission}/compare": (SIGN_IN, 303, 403, 403, 404, 403, 404, 403),
    "/comparisons/{comparison}/cancel": (SIGN_IN, 303, 403, 403, 404, 403, 404, 403),
    "/custom-batches/{custom_batch}/cancel": (SIGN_IN, 303, 403, 403, 404, 403, 404, 403),
    "/tournaments/{tournament}/custom-games/": (SIGN_IN, 409, 409, 409, 404, 409, 409, 403),
    "/custom-games/{custom_game}/share": (SIGN_IN, 303, 403, 403, 404, 403, 404, 403),
    "/games/{game}/share": (SIGN_IN, 303, 403, 303, 404, 403, 403, 403),
    "/tournaments/{tournament}/watch/": (SIGN_IN, 403, 403, 303, 404, 403, 403, 403),
    "/assignments/{assignment}/people/1/remove": (SIGN_IN, 403, 403, 422, 404, 403, 403, 403),
    "/assignments/{assignment}/people/add/": (SIGN_IN, 403, 403, 422, 404, 403, 403, 403),
    "/assignments/{assignment}/people/add/confirm": (SIGN_IN, 403, 403, 422, 404, 403, 403, 403),
    "/assignments/{assignment}/people/1/name": (SIGN_IN, 403, 403, 409, 404, 403, 403, 403),
    "/assignments/{assignment}/people/1/pseudonym": (SIGN_IN, 403, 403, 409, 404, 403, 403, 403),
    "/assignments/{assignment}/people/1/role": (SIGN_IN, 403, 403, 400, 404, 403, 403, 403),
    "/assignments/{assignment}/people/5/password": (SIGN_IN, 403, 403, 404, 404, 403, 403, 403),
    "/assignments/{assignment}/people/1/extension": (SIGN_IN, 403, 403, 303, 404, 403, 403, 403),
    "/assignments/{assignment}/people/1/bring-back": (SIGN_IN, 403, 403, 409, 404, 403, 403, 403),
    "/assignments/{assignment}/people/5/view": (SIGN_IN, 403, 403, 404, 404, 403, 403, 403),
    "/view/leave": (SIGN_IN, 303, 303, 303, 303, 303, 303, 303),
    "/join/": (SIGN_IN, 409, 409, 409, 409, 409, 409, 409),
    "/assignments/{assignment}/people/code": (SIGN_IN, 403, 403, 409, 404, 403, 403, 403),
    "/notices/read": (SIGN_IN, 303, 303, 303, 303, 303, 303, 303),
    "/entries/{entry}/withdraw": (SIGN_IN, 303, 403, 409, 404, 403, 403, 403),
    "/entries/{entry}/reinstate": (SIGN_IN, 303, 403, 409, 404, 403, 403, 403),
    "/assignments/{assignment}/settings/exclusions": (SIGN_IN, 403, 403, 404, 404, 403, 403, 403),
    "/assignments/{assignment}/settings/exclusions/1/revoke": (SIGN_IN, 403, 403, 404, 404, 403, 403, 403),
    "/assignments/{assignment}/settings/": (SIGN_IN, 403, 403, 303, 404, 403, 403, 403),
    "/assignments/{assignment}/settings/deadline": (SIGN_IN, 403, 403, 303, 404, 403, 403, 403),
    "/assignments/{assignment}/manage/tournament": (SIGN_IN, 403, 403, 400, 404, 403, 403, 403),
    "/assignments/{assignment}/queue/give-up/{submission}": (SIGN_IN, 403, 403, 422, 404, 403, 403, 403),
    "/assignments/{assignment}/manage/requeue/block/1": (SIGN_IN, 403, 403, 303, 404, 403, 403, 403),
    "/assignments/{assignment}/manage/requeue/submission/{submission}": (SIGN_IN, 403, 403, 303, 404, 403, 403, 403),
    "/assignments/{assignment}/manage/requeue/block/999999": (SIGN_IN, 403, 403, 404, 404, 403, 403, 403),
    "/assignments/{assignment}/regrades/": (SIGN_IN, 403, 403, 400, 404, 403, 403, 403),
    "/assignments/{assignment}/dry-runs/": (SIGN_IN, 403, 403, 303, 404, 403, 403, 403),
    "/assignments/{assignment}/dry-runs/{dry_run}/cancel": (SIGN_IN, 403, 403, 303, 404, 403, 403, 403),
    "/assignments/{assignment}/dry-runs/{dry_run}/again": (SIGN_IN, 403, 403, 303, 404, 403, 403, 403),
    "/regrades/{batch}/do": (SIGN_IN, 403, 403, 400, 404, 403, 403, 403),
    "/regrades/{batch}/withdraw": (SIGN_IN, 403, 403, 303, 404, 403, 403, 403),
    "/courses/comp10001/": (SIGN_IN, 403, 403, 422, 404, 403, 403, 403),
    "/new-course/": (SIGN_IN, 403, 403, 422, 403, 403, 403, 403),
    "/assignments/{assignment}/archive": (SIGN_IN, 403, 403, 303, 404, 403, 403, 403),
    "/assignments/{assignment}/delete": (SIGN_IN, 403, 403, 303, 404, 403, 403, 403),
    "/assignments/{assignment}/edit/": (SIGN_IN, 403, 403, 409, 404, 403, 403, 403),
    "/assignments/{assignment}/edit/discard": (SIGN_IN, 403, 403, 303, 404, 403, 403, 403),
    "/assignments/{assignment}/edit/text/": (SIGN_IN, 403, 403, 303, 404, 403, 403, 403),
    "/assignments/{assignment}/edit/rendered": (SIGN_IN, 403, 403, 200, 404, 403, 403, 403),
    "/assignments/{assignment}/edit/starter/": (SIGN_IN, 403, 403, 409, 404, 403, 403, 403),
    "/assignments/{assignment}/edit/questions/": (SIGN_IN, 403, 403, 303, 404, 403, 403, 403),
    "/assignments/{assignment}/edit/questions/add": (SIGN_IN, 403, 403, 422, 404, 403, 403, 403),
    "/assignments/{assignment}/edit/questions/q1/": (SIGN_IN, 403, 403, 409, 404, 403, 403, 403),
    "/assignments/{assignment}/edit/questions/q1/rename": (SIGN_IN, 403, 403, 422, 404, 403, 403, 403),
    "/assignments/{assignment}/edit/questions/q1/remove": (SIGN_IN, 403, 403, 303, 404, 403, 403, 403),
    "/assignments/{assignment}/edit/questions/q1/files/given/": (SIGN_IN, 403, 403, 404, 404, 403, 403, 403),
    "/assignments/{assignment}/edit/questions/q1/add-files/given": (SIGN_IN, 403, 403, 404, 404, 403, 403, 403),
    "/assignments/{assignment}/edit/questions/q1/files/given/Deck.cpp": (SIGN_IN, 403, 403, 404, 404, 403, 403, 403),
    "/assignments/{assignment}/edit/questions/q1/cases/add": (SIGN_IN, 403, 403, 404, 404, 403, 403, 403),
    "/assignments/{assignment}/edit/questions/q1/cases/upload": (SIGN_IN, 403, 403, 404, 404, 403, 403, 403),
    "/assignments/{assignment}/edit/questions/q1/cases/change": (SIGN_IN, 403, 403, 404, 404, 403, 403, 403),
    "/assignments/{assignment}/edit/questions/q1/cases/outputs": (SIGN_IN, 403, 403, 404, 404, 403, 403, 403),
    "/assignments/{assignment}/edit/questions/q1/cases/01-new/": (SIGN_IN, 403, 403, 404, 404, 403, 403, 403),
    "/assignments/{assignment}/edit/questions/q1/cases/01-new/rename": (SIGN_IN, 403, 403, 404, 404, 403, 403, 403),
    "/assignments/{assignment}/edit/tournaments/": (SIGN_IN, 403, 403, 303, 404, 403, 403, 403),
    "/assignments/{assignment}/edit/tournaments/add": (SIGN_IN, 403, 403, 422, 404, 403, 403, 403),
    "/assignments/{assignment}/edit/tournaments/remove": (SIGN_IN, 403, 403, 303, 404, 403, 403, 403),
    "/assignments/{assignment}/edit/players/": (SIGN_IN, 403, 403, 303, 404, 403, 403, 403),
    "/assignments/{assignment}/edit/players/add": (SIGN_IN, 403, 403, 422, 404, 403, 403, 403),
    "/assignments/{assignment}/edit/players/remove": (SIGN_IN, 403, 403, 303, 404, 403, 403, 403),
    "/assignments/{assignment}/edit/try/": (SIGN_IN, 403, 403, 422, 404, 403, 403, 403),
    "/assignments/{assignment}/edit/publish/": (SIGN_IN, 403, 403, 422, 404, 403, 403, 403),
    "/assignments/{assignment}/edit/publish/not-then": (SIGN_IN, 403, 403, 303, 404, 403, 403, 403),
    "/assignments/{assignment}/edit/publish/over": (SIGN_IN, 403, 403, 303, 404, 403, 403, 403),
    "/assignments/{assignment}/edit/versions/1/take": (SIGN_IN, 403, 403, 303, 404, 403, 403, 403),
    "/courses/comp10001/gradebook/weights": (SIGN_IN, 403, 403, 200, 404, 403, 403, 403),
    "/assignments/{assignment}/marks/rules": (SIGN_IN, 403, 403, 200, 404, 403, 403, 403),
    "/assignments/{assignment}/marks/publication": (SIGN_IN, 403, 403, 400, 404, 403, 403, 403),
    "/assignments/{assignment}/marks/files/": (SIGN_IN, 403, 403, 422, 404, 403, 403, 403),
    "/assignments/{assignment}/marks/rubric/": (SIGN_IN, 403, 403, 422, 404, 422, 422, 403),
    "/courses/comp10001/gradebook/files/": (SIGN_IN, 403, 403, 422, 404, 403, 403, 403),
    "/assignments/{assignment}/marks/1/": (SIGN_IN, 403, 403, 303, 404, 409, 404, 403),
    "/assignments/{assignment}/extensions/": (SIGN_IN, 403, 403, 409, 404, 403, 403, 403),
    "/assignments/{assignment}/section-dates/": (SIGN_IN, 403, 403, 409, 404, 403, 403, 403),
    "/submissions/{submission}/count": (SIGN_IN, 303, 403, 403, 404, 403, 404, 403),
    "/assignments/{assignment}/final/freeze": (SIGN_IN, 403, 403, 422, 404, 403, 403, 403),
    "/assignments/{assignment}/final/do": (SIGN_IN, 403, 403, 400, 404, 403, 403, 403),
    "/assignments/{assignment}/by-hand/": (SIGN_IN, 303, 303, 303, 404, 303, 303, 403),
    "/by-hand/{hand_game}/": (SIGN_IN, 409, 403, 403, 404, 403, 404, 403),  # it is over
    "/by-hand/{hand_game}/ask": (SIGN_IN, 303, 403, 403, 404, 403, 404, 403),
    "/assignments/{assignment}/people/1/particulars": (
        SIGN_IN,
        403,
        403,
        303,
        404,
        403,
        403,
        403,
    ),  # the student leaves the section
}


INTRODUCTION = """# Who may see and do what

There are four roles in a course; an instructor assigns them on a person's page, in the file of people, or by the API.

- A **student** sees the published assignments, all leaderboards and games, and their own work. They know the others by
  their pseudonyms.
- A **tutor** sees the names, reports, files and replays of the students in their sections. The sections are named in
  the tutor's own field “Section”, with semicolons between them; without any, or with “all”, a tutor sees all students.
  What belongs to other sections does not exist for a tutor. In the gradebook tutors mark the rubric of
  their students.
  Tutors change no settings.
- An **instructor** sees and changes everything in the course, and alone assigns roles.
- An **observer**, as a moderator or an external examiner, sees what a tutor of all sections sees, with names, and
  changes nothing: whatever they send is refused.

What the site answers at each address, and what the forms answer, to each of them: 200 shows it, 302 and 303 lead on
(nobody is led to the sign-in page), 403 refuses, 404 says that there is no such thing; 400, 409 and 422 are the form's
own answers to one that is empty, so whoever gets them may use it. The tests hold the site to this table, and the table
has every address. What exists for whom is decided in `web/site/access.py`, what a role may do in
`web/site/roles.py`; the JSON API asks the same functions.
"""

API_INTRODUCTION = """Addresses of the JSON API begin with `/api/v1`; 401 asks for a token. Operators have no rights of
their own on the site: they act at the command line, and without a membership no course exists for them.

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
