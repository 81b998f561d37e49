"""`sluice export` and `sluice import`: what leaves one database arrives in another."""
import contextlib
import csv
import io
import json
import subprocess

import pytest
from conftest import BINARY, clean_environment, query
from queue_tools import add_model
from terminal_tools import Terminal

HOSTILE_PROMPT = 'a "quoted", line\nand =1+1; \u202e \U0001f600'
TASKS = 2_345  # three pages


@pytest.fixture
def url(pg, mock):
    url = pg.database()
    add_model(url, "m", mock("--latency", "1ms").url)
    return url


def run(sluice, *arguments, url, **options):
    return sluice(*arguments, "--database-url", url, **options)


def exported(sluice, url, *flags):
    done = run(sluice, "export", *flags, url=url)
    assert done.returncode == 0, done.stderr
    return done.stdout


def lines_of(text):
    return [json.loads(line) for line in text.splitlines()]


def test_tasks_arrive_in_another_database_as_they_were(sluice, url, pg, tmp_path):
    query(url, f"""
        select count(*) from sluice.submit_many((select jsonb_agg(jsonb_build_object('prompt',
          'n ' || n, 'model', 'm', 'tenant', 't' || n % 3, 'metadata', jsonb_build_object('n', n)))
          from generate_series(1, {TASKS}) n))""")
    query(url, "select sluice.submit(%s, 'm', priority => 7)", [HOSTILE_PROMPT])
    assert run(sluice, "worker", "--once", url=url).returncode == 0
    query(url, "select sluice.submit('later', 'm', run_at => now() + interval '1 day')")
    there = lines_of(exported(sluice, url))
    assert [task["id"] for task in there] == sorted(task["id"] for task in there)
    assert len(there) == TASKS + 2

    other = pg.database()
    add_model(other, "m", "http://127.0.0.1:1")
    file = tmp_path / "tasks.jsonl"
    file.write_text("".join(json.dumps(task) + "\n" for task in there))
    for _ in range(2):  # the second finds them all
        done = run(sluice, "import", str(file), "--source", "first", url=other)
        assert (done.returncode, done.stdout) == (0, f"{len(there)}\n"), done.stderr
    here = lines_of(exported(sluice, other))
    assert len(here) == len(there)
    new = {"id", "created_at", "queued_at"}  # of those that were submitted
    arrived = {task["prompt"]: task for task in here}
    for before in there:
        after = arrived[before["prompt"]]
        lost = new if before["status"] == "unsolved" else {"id"}
        assert {key: before[key] for key in before.keys() - lost} == {
            key: after[key] for key in after.keys() - lost}


def test_csv_does_not_drive_a_terminal(url):
    query(url, "select sluice.submit(%s, 'm')", ["a\x1b]0;title\x07b\u009b31mc\u202ed\ne"])
    terminal = Terminal("export", "--format", "csv", "--database-url", url)
    with contextlib.closing(terminal):
        assert terminal.wait() == 0
    assert b"a?]0;title?b?31mc?d\r\ne" in terminal.output


def test_csv_is_read_as_it_was_written(sluice, url):
    query(url, "select sluice.submit(%s, 'm', metadata => '{\"a\": [1, \"x\"]}')",
        [HOSTILE_PROMPT])
    row, = csv.DictReader(io.StringIO(exported(sluice, url, "--format", "csv")))
    assert row["prompt"] == HOSTILE_PROMPT and json.loads(row["metadata"]) == {"a": [1, "x"]}
    assert (row["answer"], row["status"]) == ("", "queued")
    assert exported(sluice, url, "--format", "csv", "--status", "failed") == (
        ",".join(row.keys()) + "\n")  # Python's text mode reads \r\n so


def test_conditions_choose_and_texts_stay_away(sluice, url):
    ids = [query(url, "select sluice.submit('x', 'm', tenant => %s)", [tenant])[0][0]
        for tenant in ("one", "two", "one")]
    found = lambda *flags: [task["id"] for task in lines_of(exported(sluice, url, *flags))]
    assert found("--tenant", "one") == [ids[0], ids[2]]
    assert found("--after", str(ids[0])) == ids[1:]
    assert found("--since", "1h") == ids and found("--until", "1h") == []
    assert found("--model", "m", "--status", "queued") == ids
    query(url, "select sluice.cancel(%s)", [ids[1]])
    assert found("--ended-since", "today", "--ended-until", "tomorrow") == [ids[1]]
    assert found("--ended-until", "today") == []
    assert {task["prompt"] for task in lines_of(exported(sluice, url, "--no-texts"))} == {None}


def test_a_bad_line_is_named_and_the_others_may_go_on(sluice, url, tmp_path):
    good = {"id": 1, "status": "queued", "model": "m", "prompt": "x"}
    file = tmp_path / "tasks.jsonl"
    file.write_text("\n".join(json.dumps(each)
        for each in (good, {"status": "queued"}, good | {"id": 2})) + "\nno object\n")
    done = run(sluice, "import", str(file), "--source", "s", url=url)
    assert done.returncode == 1 and "line 2: " in done.stderr
    assert query(url, "select count(*) from sluice.task") == [(0,)]
    done = run(sluice, "import", str(file), "--source", "s", "--on-error", "skip", url=url)
    assert (done.returncode, done.stdout) == (1, "2\n")
    assert "line 2: has no id" in done.stderr and "line 4: " in done.stderr


def test_an_import_names_its_source(sluice, url):
    done = run(sluice, "import", "-", url=url, input="")
    assert done.returncode == 2 and "--source" in done.stderr


def test_a_full_disk_is_an_error(url):
    query(url, """select count(*) from sluice.submit_many((select jsonb_agg(jsonb_build_object(
        'prompt', repeat('x', 10000), 'model', 'm')) from generate_series(1, 1500) n))""")
    with open("/dev/full", "wb") as full:
        done = subprocess.run([BINARY, "export", "--database-url", url], stdout=full,
            stderr=subprocess.PIPE, text=True, timeout=60, env=clean_environment())
    assert done.returncode == 1 and "No space left on device" in done.stderr
