"""The site of a web process."""

from pathlib import Path
from typing import cast

from deploy.processes.site import compile_templates, make_site
from deploy.settings import load
from web.site.translated import Templates


def test_every_page_is_compiled_before_it_is_asked_for(tmp_path: Path) -> None:
    site = make_site(load(tmp_path))
    compile_templates(site)
    english = cast(Templates, site.jinja_env).languages["en"]
    assert english.cache is not None
    compiled = {name for _, name in english.cache}
    assert {"site/base.html", "submission/submission.html", "submission/_report.html"} <= compiled
