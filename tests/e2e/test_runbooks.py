"""Each alert has its runbook, and each runbook its parts. Their commands run as those of all
pages."""
import re

import pytest
import yaml
from conftest import ROOT

pytestmark = pytest.mark.plain_build_only

OPERATIONS = ROOT / "docs/operations"
RUNBOOKS = sorted((OPERATIONS / "runbooks").glob("*.md"))
ALERTS = ROOT / "packaging/prometheus/alerts.yml"
RULES = [rule for group in yaml.safe_load(ALERTS.read_text())["groups"] for rule in group["rules"]]


def test_each_alert_has_a_runbook_and_each_runbook_an_alert():
    assert {rule["annotations"]["runbook_url"] for rule in RULES} == {
        f"docs/operations/runbooks/{page.name}" for page in RUNBOOKS}
    for rule in RULES:
        assert rule["annotations"]["runbook_url"].endswith(f"/{rule['alert']}.md")
        assert f"(runbooks/{rule['alert']}.md)" in (OPERATIONS / "index.md").read_text()


@pytest.mark.parametrize("page", RUNBOOKS, ids=lambda page: page.stem)
def test_a_runbook_says_where_to_look_what_to_do_and_when_it_is_over(page):
    prose = re.sub(r"```.*?```", "", page.read_text(), flags=re.S)
    headings = re.findall(r"^#+ (.+)$", prose, re.M)
    assert headings == [page.stem, "Look here", "Do this", "It is over when"]
    assert "sluice " in page.read_text() or "psql" in page.read_text()
