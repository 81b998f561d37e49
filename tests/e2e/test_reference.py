"""docs/reference/ says what the catalog, the flags and the sources say, and so does psql."""
import re
import shutil
import subprocess

import pytest

from conftest import BINARY, ROOT, clean_environment, load_script, query

REFERENCE = ROOT / "scripts" / "reference"
sql_comments = load_script("sql_comments.py")

pytestmark = pytest.mark.plain_build_only


def test_no_page_is_stale():
    run = subprocess.run([REFERENCE, "--check"], capture_output=True, text=True, timeout=300,
        env=clean_environment({"SLUICE_BINARY": BINARY}))
    assert run.returncode == 0, run.stdout + run.stderr


def test_a_stale_page_and_a_gap_are_found(tmp_path):
    """In a copy: a wrong default, and an error that nobody described."""
    for name in ("scripts", "sql", "src", "docs"):
        shutil.copytree(ROOT / name, tmp_path / name)
    page = tmp_path / "docs/reference/configuration.md"
    text = page.read_text()
    assert "`30 days`" in text
    page.write_text(text.replace("`30 days`", "`3 days`"))
    errors = tmp_path / "docs/reference/errors.md"
    errors.write_text(errors.read_text().replace("generated: messages SL011", "not made") +
        "\n## SL999\n")
    run = subprocess.run([tmp_path / "scripts/reference", "--check"], capture_output=True,
        text=True, timeout=300, env=clean_environment({"SLUICE_BINARY": BINARY}))
    assert run.returncode == 1
    assert "-| `retention` | interval | `3 days`" in run.stdout
    assert "run scripts/reference" in run.stderr
    assert "no page of docs/reference/ shows the error SL011" in run.stderr
    assert "errors.md has SL999, which nothing in sql/ raises" in run.stderr
    assert "`3 days`" in page.read_text()  # --check writes nothing


def test_each_error_has_its_cause_and_its_way_out():
    page = (ROOT / "docs/reference/errors.md").read_text()
    for section in re.split(r"^(?=## SL)", page, flags=re.M)[1:]:
        assert re.search(r"\*Way out\*|\*Cause and way out\*", section), section[:40]


def test_each_argument_of_functions_for_people_is_described():
    pages = [(ROOT / "docs/reference" / name).read_text()
        for name in ("functions.md", "worker_protocol.md")]
    rows = [re.split(r" ?(?<!\\)\| ?", line)[1:-1] for page in pages
        for section in re.split(r"^### ", page, flags=re.M)[1:]
        for line in section.splitlines() if line.startswith("| `")]
    assert len(rows) > 100
    assert [row for row in rows if len(row) == 4 and not row[3]] == []


def test_psql_shows_what_a_function_is_for(pg):
    url = pg.database()
    comment = query(url, """select obj_description(p.oid, 'pg_proc') from pg_proc p
        where p.proname = 'submit' and p.pronamespace = 'sluice'::regnamespace""")[0][0]
    assert comment.startswith("Accepts one task.")
    assert "\n  priority: -100 to 100, higher first\n" in comment
    assert "SL003 the model, route or system is full for now" in " ".join(comment.split())
    assert max(map(len, comment.splitlines())) <= sql_comments.WIDTH_CHARS
    shown = subprocess.run(["psql", url, "-Xqc", r"\df+ sluice.pause"], check=True,
        capture_output=True, text=True).stdout
    assert "Stops claims for a model until sluice.resume" in shown


@pytest.mark.parametrize("head,names,comment", [
    ("-- f: gives it.\n", [], "Gives it."),
    ("-- f_g, h: what\n-- goes on.\n--\n-- For developers.\n", [], "What goes on."),
    ("-- f: sluice.g for others.\n", [], "sluice.g for others."),
    ("-- f: gives it.\n-- Params:  a: this; b, c: that; d.\n-- Returns: x.\n-- Locks:   all.\n"
     "-- Errors:  SL001 no.\n", ["a", "b", "c", "d"],
     "Gives it.\nParams:\n  a: this\n  b, c: that\nReturns: x.\nErrors: SL001 no."),
    ("-- f: gives it.\n-- Params:  those of g.\n-- A paragraph.\n", ["a"],
     "Gives it.\nParams: those of g."),
    ("-- f: gives it.\n-- twin: g\n", [], "Gives it.")])
def test_what_stands_above_a_function_becomes_its_comment(head, names, comment):
    assert sql_comments.comment_text(head, names) == comment


def test_a_public_function_without_a_head_stops_the_build():
    files = {"a.sql": "create or replace function sluice.f(a int) returns int\n",
        "grants.sql": "grant execute on function sluice.f(int) to sluice_admin;\n"}
    with pytest.raises(ValueError, match="no comment stands above f"):
        sql_comments.comments_sql(files)
