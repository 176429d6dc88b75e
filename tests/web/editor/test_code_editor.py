"""The editor of code, in a real browser under the site's content security policy, and a text area without it."""

import json
import re
from pathlib import Path

from playwright.sync_api import Browser, expect
from sqlalchemy import select

from grader.store.models import AssignmentDraft
from tests.web.axe import check_shown, load
from tests.web.editor.test_edit import new_set
from tests.web.school import School
from tests.web.site.test_browser import chromium, signed_in, site  # noqa: F401 - fixtures
from web.site.serving import POLICY

EDITOR = Path(__file__).parents[3] / "web" / "editor"


def test_code_has_lines_tab_and_errors_and_the_keyboard_leaves_it(
    chromium: Browser,  # noqa: F811
    site: tuple[School, str],  # noqa: F811
) -> None:
    school, address = site
    assignment = new_set(school, school.browser("ines"))
    with signed_in(chromium, address, "ines") as page:
        answer = page.goto(f"/assignments/{assignment}/edit/questions/q1/")
        assert answer
        assert answer.headers["content-security-policy"] == POLICY
        code = page.get_by_role("textbox", name="cases.py")
        expect(code).to_be_visible()
        code.press("ControlOrMeta+A")
        page.keyboard.type("def cases(rng):\n")
        code.press("Tab")
        page.keyboard.type("yield (21,\n")
        expect(page.get_by_text("The draft was last saved")).to_be_visible()
        expect(page.locator("[data-saved]")).to_have_text("Saved.")
        expect(page.get_by_text("The draft was last saved")).to_be_hidden()
        with school.write() as session:
            draft = session.scalars(select(AssignmentDraft).where(AssignmentDraft.assignment_id == assignment)).one()
            assert draft.content["questions"][0]["cases"].startswith("def cases(rng):\n        yield (21,\n"), (
                "Enter and Tab indent"
            )
        expect(page.locator("#cases .cm-lineNumbers")).to_contain_text("3")
        expect(page.locator("#cases .cm-lint-marker-warning")).to_be_visible()
        expect(page.get_by_text("To leave the editor, press Escape, then Tab.").first).to_be_visible()
        code.press("ControlOrMeta+A")
        page.keyboard.insert_text(">>> double(2)\n4\n>>> double(\n")
        expect(page.locator("#cases .cm-lint-marker-error")).to_be_visible()
        expect(page.locator("#cases .cm-lint-marker-warning")).to_be_hidden()  # doctest text is not linted as Python
        code.press("Tab")
        expect(code).to_be_focused()
        code.press("Escape")
        code.press("Tab")
        expect(code).not_to_be_focused()
        colour = page.locator("#cases .cm-gutters").evaluate("it => getComputedStyle(it).borderRightWidth")
        assert colour == "0px", "the styles of the editor are in force"
        load(page)
        check_shown(page, 1280, ["wcag2a", "wcag2aa"])


def test_nothing_is_saved_over_the_work_of_another_until_the_author_decides(
    chromium: Browser,  # noqa: F811
    site: tuple[School, str],  # noqa: F811
) -> None:
    school, address = site
    assignment = new_set(school, school.browser("ines"))

    def title() -> str:
        with school.write() as session:
            draft = session.scalars(select(AssignmentDraft).where(AssignmentDraft.assignment_id == assignment)).one()
            return str(draft.content["questions"][0]["title"])

    with signed_in(chromium, address, "ines", refused="409") as page, signed_in(chromium, address, "ines") as other:
        said = page.locator("[data-saved]")
        for each in (page, other):
            each.goto(f"/assignments/{assignment}/edit/questions/q1/")
            expect(each.locator("[data-saved]")).to_be_empty()  # looking is no change
        other.get_by_label("Title").fill("Theirs")
        expect(other.locator("[data-saved]")).to_have_text("Saved.")
        page.get_by_label("Title").fill("Mine")
        expect(said).to_contain_text("has changed this part since you opened it")
        page.get_by_role("button", name="Save the draft").click()
        expect(page.get_by_role("alert")).to_contain_text("Theirs")
        expect(said).to_have_text("Not saved yet.")
        page.get_by_role("textbox", name="Title").fill("Mine too")
        page.wait_for_timeout(1500)  # longer than it takes until a change is saved automatically
        assert title() == "Theirs"
        page.get_by_role("button", name="Save the draft").click()
        expect(page.get_by_text("The draft is saved.")).to_be_visible()
        assert title() == "Mine too"


def test_without_scripts_code_is_a_plain_text_area(
    chromium: Browser,  # noqa: F811
    site: tuple[School, str],  # noqa: F811
) -> None:
    school, address = site
    assignment = new_set(school, school.browser("ines"))
    with signed_in(chromium, address, "ines", java_script_enabled=False) as page:
        page.goto(f"/assignments/{assignment}/edit/questions/q1/")
        page.locator("textarea#solution").fill("def double(number):\n    return number + number\n")
        page.get_by_role("button", name="Save the draft").click()
        expect(page.locator("textarea#solution")).to_have_value(re.compile("number \\+ number"))


def test_the_built_file_names_no_package_without_its_licence() -> None:
    lock = json.loads((EDITOR / "codemirror" / "package-lock.json").read_text())
    licences = (EDITOR / "codemirror.LICENSE.txt").read_text()
    named = {path.removeprefix("node_modules/") for path in lock["packages"] if path}
    built = {each for each in named if not each.startswith(("@esbuild/", "esbuild"))}
    assert {each for each in built if f"  {each}\n" not in licences} == set()
