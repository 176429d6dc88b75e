"""The site of a web process."""

from pathlib import Path

from deploy.processes.site import compile_templates, make_site
from deploy.settings import load


def test_every_page_is_compiled_before_it_is_asked_for(tmp_path: Path) -> None:
    environment = (site := make_site(load(tmp_path))).jinja_env
    compile_templates(site)
    assert environment.cache is not None
    compiled = {name for _, name in environment.cache}
    assert {"site/base.html", "submission/submission.html", "submission/_report.html"} <= compiled
