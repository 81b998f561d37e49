"""status, tasks, task, cancel, dead-letters: what is shown is what is there, in 80 columns."""
import json
import re
import signal
import subprocess

import pytest
from conftest import (BINARY, clean_environment, connect, memory_bytes, query,
    unless_instrumented, wait_for)

pytestmark = pytest.mark.plain_build_only

LONG_NAME = "a-model-with-a-name-that-is-much-too-long-for-a-table-of-eighty-columns"


@pytest.fixture
def url(pg):
    url = pg.database()
    query(url, "insert into sluice.models (name, url, rpm) "
        "values ('open', 'http://127.0.0.1:1', 600), ('paused', 'http://127.0.0.1:1', null), "
        "('parked', 'http://127.0.0.1:1', null), ('closed', 'http://127.0.0.1:1', null), "
        f"('{LONG_NAME}', 'http://127.0.0.1:1', null)")
    query(url, """
        update sluice.models set paused = true where name = 'paused';update sluice.models
        set closed_until = 'infinity' where name = 'parked';update sluice.models
        set closed_until = now() + interval '1 hour' where name = 'closed'""")
    return url


@pytest.fixture
def read(sluice, url):
    """A function that runs a command which must succeed: its output's lines."""
    def run(*arguments):
        ended = sluice(*arguments, "--database-url", url, env={"COLUMNS": "80"})
        assert (ended.returncode, ended.stderr) == (0, "")
        lines = ended.stdout.splitlines()
        if "--json" not in arguments:
            assert all(len(line) <= 80 for line in lines), ended.stdout
        return lines
    return run


def submit(url, prompt="hello", model="open", count=1):
    return [row[0] for row in query(url, "select sluice.submit(%s, %s) from generate_series(1, %s)",
                                    (prompt, model, count))]


def solve_all(url, answer):
    with connect(url) as connection, connection.cursor() as cursor:
        cursor.execute("select sluice.register_worker('by hand', 1000)")
        worker = cursor.fetchone()[0]
        cursor.execute("select task_id, fence from sluice.claim(%s, null, 1000)", (worker,))
        for task, fence in cursor.fetchall():
            cursor.execute("select * from sluice.complete(%s, array[(%s, %s, 'solved', %s, null, "
                "null, null, null, null, 3, 4, null)::sluice.outcome])",
                (worker, task, fence, answer))
    connection.close()


def fail(url, task, error):
    query(url, "with gone as (delete from sluice.queue where task_id = %s returning *)"
               "insert into sluice.result (task_id, created_at, finished_at, fence, attempts, "
               "status, model, error_code, error)"
               "select task_id, now(), now(), 1, 3, 'failed', 'open', 'http_500', %s from gone",
               (task, error))


def test_status_shows_each_model_and_the_totals(read, url):
    submit(url, count=3)
    query(url, "select sluice.register_worker('w', 40)")
    heading, *models, totals, _ = read("status")
    assert heading.split() == ["MODEL", "STATE", "DEPTH", "IN", "FLIGHT", "WAITING",
        "OLDEST", "PERMITS", "PRESSURE"]
    rows = {line.split()[0]: line.split()[1:] for line in models}
    assert rows["open"][:4] == ["open", "3", "0", "0"]
    assert rows["paused"][0] == "paused" and rows["parked"][0] == "parked"
    assert rows["closed"][:2] == ["closed", "59m"]
    assert totals == "3 queued, 0 in flight, 0 waiting; 1 worker, 40 slots"



def test_an_open_breaker_does_not_read_as_an_open_model(read, url):
    query(url, """
        update sluice.breaker
        set state = 'open', since = clock_timestamp(), reason = '5 failures in a row'
        where model = (select id from sluice.models where name = 'open')""")
    query(url, "update sluice.models set closed_reason = 'credential: HTTP 401' "
        "where name = 'parked'")
    lines = read("status")
    assert next(line for line in lines if line.startswith("open ")).split()[1:4] == ["breaker",
        "open", "29s"]
    assert "open: breaker open: 5 failures in a row" in lines
    assert "parked: parked: credential: HTTP 401; to open it: sluice model resume parked" in lines
    assert "breaker open" in next(line for line in read("model", "ls") if line.startswith("open "))
    row = next(row for row in map(json.loads, read("status", "--json")) if row["model"] == "open")
    query(url, "update sluice.breaker set since = since - interval '1 h'")
    for command in (["status"], ["top", "--once"]):
        line = next(line for line in read(*command) if line.startswith("open "))
        assert "awaits a probe" in line and "0s" not in line.split("probe")[0], line
    assert (row["breaker"], row["state"], row["paused"]) == ("open", "breaker open", False)


def test_a_long_reason_is_wrapped_and_not_cut(read, url):
    reason = "credential: secret env:A_KEY may not go to http://127.0.0.1:8000/a/rather/long/path"
    query(url, "update sluice.models set closed_reason = %s where name = 'parked'", [reason])
    lines = read("status")
    at = next(n for n, line in enumerate(lines) if line.startswith("parked: parked: "))
    assert " ".join(map(str.strip, lines[at:])) == (
        f"parked: parked: {reason}; to open it: sluice model resume parked")


def test_status_says_how_to_open_a_parked_model(read, url):
    assert "parked: parked; to open it: sluice model resume parked" in read("status")


def test_status_names_workers_that_have_gone_silent(read, url):
    query(url, "select sluice.register_worker('mute', 4, p_now => now() - interval '1 minute')")
    query(url, "select sluice.unregister_worker(sluice.register_worker('left in order', 4))")
    *_, totals, _, silent = read("status")
    assert totals.endswith("0 workers, 0 slots")
    assert silent.startswith("worker mute silent for 1m, 0 in flight")


def test_status_counts_tasks_that_wait_for_a_route(read, url):
    query(url, "update sluice.models set paused = true")
    submit(url, model="any", count=5)
    assert read("status")[-1].startswith("0 queued, 0 in flight, 5 waiting")


def test_status_shows_latencies_tokens_and_failures_of_models_and_tenants(read, url):
    submit(url, count=4)
    solve_all(url, "fine")
    task, = submit(url)
    fail(url, task, "a story")
    lines = read("status")
    heading, model = lines[
        lines.index(next(line for line in lines if line.startswith("LAST 10 MIN"))):][:2]
    assert heading.split() == ["LAST", "10", "MIN", "SOLVED", "FAILED", "P50", "P99", "TOK/MIN"]
    # 4 * (3 + 4) tokens in ten minutes
    assert model.split()[:3] == ["open", "4", "1"] and model.split()[-1] == "3"
    assert lines[-2].split() == ["TENANT", "SOLVED", "FAILED", "P50", "P99", "TOK/MIN"]
    assert lines[-1].split()[:3] == ["default", "4", "1"]
    row = next(row for row in map(json.loads, read("status", "--json")) if row["model"] == "open")
    assert (row["recent"]["solved"], row["recent"]["failed"]) == (4,
        1) and row["recent"]["p99_s"] > 0


def test_status_as_json_is_one_object_per_model(read, url):
    rows = [json.loads(line) for line in read("status", "--json")]
    assert [row["model"] for row in rows] == sorted([LONG_NAME, "closed",
        "open", "parked", "paused"])
    assert {"depth", "in_flight", "unfinished", "permits_now", "pressure",
        "paused"} <= rows[0].keys()


def test_watch_goes_on_until_ctrl_c(started, url):
    process = started("status", "--watch", "--database-url", url)
    wait_for(lambda: process.stdout().count("queued") >= 2, what="the second picture")
    assert "\x1b" not in process.stdout()  # not a terminal
    process.signal(signal.SIGINT)
    assert process.wait() == 0


def test_tasks_lists_the_newest_first(read, url):
    ids = submit(url, count=60)
    assert [int(line.split()[0]) for line in read("tasks")[1:]] == ids[:-51:-1]
    assert [int(line.split()[0]) for line in read("tasks", "--limit", "2")[1:]] == ids[:-3:-1]


def test_tasks_can_be_asked_for_by_status_and_model(read, url):
    first, second = submit(url, count=2)
    third = query(url, "select sluice.submit('x', 'open', "
        "run_at => now() + interval '1 hour')")[0][0]
    other, = submit(url, model=LONG_NAME)
    query(url, "select sluice.cancel(%s)", (second,))

    def listed(*flags):
        return [json.loads(line)["id"] for line in read("tasks", "--json", *flags)]
    assert listed() == [other, third, second, first]
    assert listed("--status", "queued") == [other, first]
    assert listed("--status", "unsolved") == [third]
    assert listed("--status", "cancelled") == [second]
    assert listed("--status", "solved") == []
    assert listed("--status", "queued", "--model", LONG_NAME) == [other]
    assert listed("--model", "open") == [third, second, first]


def test_task_shows_fields_and_texts(read, url):
    task, = submit(url, "what is\nit?")
    hidden = "\x7f \u009b31m \u202egpj.exe \u2028 \U000e0041"
    solve_all(url, "it is \x1b[2J this" + hidden)
    text = "\n".join(read("task", task))
    assert f"id            {task}" in text and "status        solved" in text
    assert "prompt (11 bytes)\nwhat is\nit?" in text
    assert "it is ?[2J this" in text  # an answer does not drive the terminal
    assert "this? ?31m ?gpj.exe ? ?" in text
    line = read("task", task, "--json")[0]
    row = json.loads(line)
    assert (row["answer"], row["input_tokens"]) == ("it is \x1b[2J this" + hidden, 3)
    assert "\\u007f \\u009b31m \\u202egpj.exe \\u2028 \\udb40\\udc41" in line, "nor does JSON"
    assert json.loads(read("tasks", "--json")[0])["answer"] == row["answer"]


def test_task_cuts_long_texts_but_not_as_json(sluice, url):
    task, = submit(url, "x" * 5000)
    shown = sluice("task", task, "--database-url", url).stdout
    assert "prompt (5000 bytes)" in shown and "... 3000 more bytes; --json shows all" in shown
    whole = json.loads(sluice("task", task, "--json", "--database-url", url).stdout)
    assert len(whole["prompt"]) == 5000


def test_json_lists_all_tasks_page_by_page_along_the_ids(read, url):
    query(url, """
        select count(*) from sluice.submit_many((select jsonb_agg(jsonb_build_object('prompt',
        'p', 'model', case when n % 7 = 0 then
        'closed' else 'open' end)) from generate_series(1, 2500) n))""")
    ids = [row[0] for row in query(url, "select id from sluice.tasks order by id desc")]

    def listed(*flags):
        return [json.loads(line)["id"] for line in read("tasks", "--json", *flags)]
    assert listed() == ids and len(ids) == 2500
    assert listed("--limit", "1234") == ids[:1234]
    assert listed("--model", "closed") == [row[0] for row in query(url,
            "select id from sluice.tasks where model = 'closed' order by id desc")]
    assert listed("--status", "queued", "--limit", "20000") == [row[0] for row in query(url,
            "select id from sluice.tasks where status = 'queued' order by id desc")]


@unless_instrumented
def test_json_holds_one_page_of_texts_in_memory(url):
    """60 texts of 1 MB: what is held is what a page may have (8 MB), in the forms that it goes
    through."""
    query(url, "select sluice.submit(repeat('x', 1000000), 'paused') from generate_series(1, 60)")
    with subprocess.Popen([BINARY, "tasks", "--json", "--database-url", url],
            stdout=subprocess.PIPE, env=clean_environment()) as process:
        for _ in range(59):
            assert process.stdout.readline()
        peak_bytes = memory_bytes(process.pid, "VmHWM")  # while it has the last one still to write
        lines = 59 + sum(1 for _ in process.stdout)
    assert (lines, process.returncode) == (60, 0)
    assert peak_bytes < 60 * 2**20


def test_task_lists_its_calls_that_failed(read, url):
    task, = submit(url)
    assert "calls that did not" not in "\n".join(read("task", task))
    query(url, """
        insert into sluice.attempt (task_id, started_at, ended_at, fence, kind, model,
        http_status, error_code, error) select %s, t, t + interval '340 ms', 1, 'retry',
        'open', 500, 'http_500', 'HTTP 500: out of order'
        from (values (timestamptz '2026-01-02 03:04:05+00')) v(t)""", (task,))
    heading, call = read("task", task)[-2:]
    assert heading.split() == ["STARTED", "TOOK", "ENDED", "MODEL", "HTTP", "CODE", "ERROR"]
    assert re.search(r"^20\d\d-\d\d-\d\d \d\d:\d\d:\d\d  340ms  retry  open    500  http_500  HTTP "
                     r"500: out", call), call
    call, = json.loads(read("task", task, "--json")[0])["calls"]
    assert (call["kind"], call["http_status"], call["error"]) == ("retry", 500,
        "HTTP 500: out of order")


def test_task_lists_a_call_once_however_it_ended(read, url):
    worker = query(url, "select sluice.register_worker('w', 1)")[0][0]
    task = query(url, "select sluice.submit('x', 'open', max_attempts => 2)")[0][0]

    def ended():
        fence = query(url, "select fence from sluice.claim(%s)", (worker,))[0][0]
        query(url, "select sluice.complete(%s, array[(%s, %s, 'retry', null, null, 'no', "
            "'http_500', 500, 0, null, null, null)::sluice.outcome])", (worker, task, fence))
        query(url, "select sluice.wake(now() + interval '1 hour')")
        return [re.search(r"ms  (.*?)  open", line)[1].strip()
            for line in read("task", task) if "http_500" in line and "  open" in line]
    assert ended() == ["retry"]
    query(url, "update sluice.models set closed_until = null")
    assert ended() == ["retry", "failed"]
    query(url, "select sluice.redrive(%s)", (task,))
    assert ended() == ["retry", "failed, redriven", "retry"]


def test_model_history_shows_how_a_breaker_went(read, url):
    query(url, """
        select sluice.move_breaker(id, 'closed', 'open', '5 failures in a row',
        '2026-01-02 03:04:05+00'), sluice.move_breaker(id, 'open', 'half_open',
        'its time has come', '2026-01-02 03:04:35+00') from sluice.models where name = 'open'""")
    heading, newest, first = read("model", "history", "open")
    assert heading.split() == ["TIME", "MODEL", "BREAKER", "REASON"]
    assert re.search(r":35  open   open → half open  its time has come$", newest), newest
    assert re.search(r":05  open   closed → open     5 failures in a row$", first), first
    assert read("model", "history", "closed") == [heading.replace(heading,
        "TIME  MODEL  BREAKER  REASON")]
    rows = [json.loads(line) for line in read("model", "history", "--json")]
    assert [(row["model"], row["from_state"], row["to_state"]) for row in rows] == [
        ("open", "open", "half_open"), ("open", "closed", "open"), ("parked", "closed", "parked")]


@pytest.mark.parametrize("command", ["task", "cancel"])
def test_a_task_that_is_not_there_is_a_clear_error(sluice, url, command):
    run = sluice(command, "12345", "--database-url", url)
    assert run.returncode == 1 and run.stderr.startswith("sluice: there is no task 12345")
    assert sluice(command, "x", "--database-url", url).returncode == 2


def test_cancel_says_the_status_after(read, url):
    task, = submit(url)
    assert read("cancel", task) == ["cancelled"]
    assert read("cancel", task) == ["cancelled"]
    assert query(url, "select status from sluice.tasks where id = %s", (task,)) == [("cancelled",)]


def test_dead_letters_lists_what_failed_for_good(read, url):
    fine, bad = submit(url, count=2)
    fail(url, bad, "a long story\n" * 20)
    heading, row = read("dead-letters")
    assert heading.split() == ["ID", "MODEL", "ATTEMPTS", "AGE", "CODE", "ERROR"]
    assert row.split()[:3] == [str(bad), "open", "3"] and row.endswith("…")
    letter, = map(json.loads, read("dead-letters", "--json"))
    assert (letter["id"], letter["error_code"]) == (bad, "http_500")


def test_what_is_piped_is_not_cut_and_columns_are_heeded(sluice, url):
    task, = submit(url)
    fail(url, task, "e" * 300)
    tenant = "t" * 40
    query(url, "insert into sluice.tenants (name) values (%s)", (tenant,))
    piped = sluice("dead-letters", "--database-url", url).stdout
    assert "e" * 200 in piped and "…" not in piped
    assert tenant in sluice("tenant", "ls", "--database-url", url).stdout
    assert LONG_NAME in sluice("model", "ls", "--database-url", url).stdout
    for columns in 60, 100:
        cut = sluice("dead-letters", "--database-url", url, env={"COLUMNS": str(columns)}).stdout
        assert max(map(len, cut.splitlines())) == columns and "…" in cut
    once = sluice("top", "--once", "--interval", "500ms", "--database-url", url).stdout
    assert max(map(len, once.splitlines())) <= 80


def test_a_cost_has_no_zeros_that_say_nothing(sluice, url):
    task, = submit(url)
    solve_all(url, "fine")
    for cost, shown in (("0.000000000000000000000000", "0"), ("0.001500000", "0.0015"),
            ("120.00", "120")):
        query(url, "update sluice.result set cost = %s", (cost,))
        fields = dict(line.split(None, 1)
            for line in sluice("task", task, "--database-url", url).stdout.splitlines()
            if " " in line)
        assert fields["cost"] == shown
        assert f'"cost":{shown},' in sluice("task", task, "--json", "--database-url", url).stdout


def test_a_forgotten_task_says_so(sluice, url):
    task, = submit(url)
    solve_all(url, "fine")
    query(url, "select sluice.forget(%s)", (task,))
    shown = sluice("task", task, "--database-url", url).stdout
    assert "forgotten: its texts are erased" in shown and "0 bytes" not in shown


def commands_with_json(sluice):
    def named_in(*command):
        return re.findall(r"^  ([a-z-]+) ", sluice(*command,
            "--help").stdout.partition("Subcommands:")[2], re.M)
    commands = [(one,) for one in named_in() if one not in ("psql", "version", "help")]
    commands += [(*one, two) for one in commands for two in named_in(*one)]
    return {" ".join(one) for one in commands
        if re.search(r"^  --json\b", sluice(*one, "--help").stdout, re.M)}


HOSTILE = "\x1b]0;pwn\x07\u009b2J\u202eevil\u2066\u200b\x7f"


def test_no_json_drives_a_terminal(sluice, url):
    query(url, "insert into sluice.models (name, url) values (%s, 'http://127.0.0.1:1'); "
        "insert into sluice.routes (route, model) values (%s, %s); "
        "insert into sluice.tenants (name) values (%s)", (HOSTILE, HOSTILE + "r", HOSTILE, HOSTILE))
    query(url, "select sluice.register_worker(%s, 1); "
        "select sluice.create_key('0123456789abcdef', sha256('x'), %s, %s, '{read}')",
        (HOSTILE, HOSTILE, HOSTILE))
    ids = [query(url, "select sluice.submit(%s, %s, tenant => %s, "
            "metadata => jsonb_build_object(%s, 1), idempotency_key => %s)",
            (HOSTILE, HOSTILE, HOSTILE, HOSTILE, key))[0][0] for key in "abc"]
    for task in ids[:2]:
        fail(url, task, HOSTILE)
        query(url, "update sluice.result set model = %s where task_id = %s", (HOSTILE, task))
    query(url, "update sluice.models "
        "set closed_until = 'infinity', closed_reason = %s where name = %s", (HOSTILE, HOSTILE))
    job = query(url, "select sluice.start_job('cancel', jsonb_build_object('model', %s))",
        [HOSTILE])[0][0]
    query(url, "insert into sluice.prices (model, valid_from) values (%s, now()); "
        "insert into sluice.budgets (name, scope, limit_nanos) values (%s, 'system', 1000)",
        (HOSTILE, HOSTILE))
    query(url, "insert into sluice.budget_mark (budget, window_from, per_cent, at) "
        "select id, now(), 80, now() from sluice.budgets; "
        "insert into sluice.models (name, url) values ('other', 'http://127.0.0.1:1'); "
        "insert into sluice.fallbacks values (%s, 'over_budget', 'other'); "
        "insert into sluice.routes (route, model, weight) values (%s, 'other', 0); "
        "select sluice.start_ramp(%s, 'other')", (HOSTILE, HOSTILE + "r", HOSTILE + "r"))
    shadow = query(url, "select sluice.start_shadow('models', %s, '{\"rpm\": 5}')",
        (HOSTILE,))[0][0]
    query(url, "insert into sluice.shadow_hour values (%s, now(), %s, 1, 1, 0, 0, 0)",
        (shadow, HOSTILE))
    arguments = {"task": [ids[0]], "explain": [ids[2]], "job show": [job], "job cancel": [job],
        "shadow show": [shadow], "submit": ["--dry-run", "--prompt", "x", "--model", HOSTILE]}
    commands = commands_with_json(sluice)
    assert {"top", "status", "model ls", "model history", "key ls", "doctor",
        "migrate"} <= commands, commands
    line = json.dumps({"prompt": HOSTILE, "model": HOSTILE, "tenant": HOSTILE,
        "metadata": {HOSTILE: 1}, "idempotency_key": "a"})
    assert_tells_harmlessly(sluice, "submit", "-", "--wait", "--database-url", url, input=line)
    for command in sorted(commands - {"migrate", "job start"}):  # that one prints as job show
        assert_tells_harmlessly(sluice, *command.split(), *arguments.get(command, []),
            "--json", "--database-url", url)
    query(url, "insert into sluice.migration (version, name, sha256) values (9999, %s, 'x')",
        (HOSTILE,))
    assert_tells_harmlessly(sluice, "migrate", "status", "--json", "--database-url", url)


def test_no_text_of_a_database_drives_a_terminal(sluice, url):
    job = query(url, "select sluice.start_job('cancel', jsonb_build_object('model', 'open'))")[0][0]
    (definition,), = query(url, "select rtrim(pg_get_viewdef('sluice.jobs'::regclass), ';')")
    query(url, f'create or replace view sluice.jobs as select v.*, 1 as "{HOSTILE}" '
        f"from ({definition}) v")
    query(url, "create or replace function sluice.cancel_job(id bigint, p_now timestamptz default "
        f"null) returns text language sql return '{HOSTILE}'")
    query(url, "select sluice.register_worker(%s, 1); "
        "update sluice.worker set seen = now() - interval '1 h'", (HOSTILE,))
    query(url, "insert into sluice.migration (version, name, sha256) values (-1, %s, 'x')",
        (HOSTILE,))
    for command in (["job", "show", job], ["job", "cancel", job], ["status"],
            ["migrate", "status"]):
        ended = sluice(*command, "--database-url", url)
        assert "evil" in ended.stdout, (command, ended)
        assert not CONTROL.search(ended.stdout), (command, ended.stdout)


CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202e\u2066]")


def assert_tells_harmlessly(sluice, *arguments, **how):
    """It prints JSON about what is called HOSTILE; none of its characters is there as it is."""
    ended = sluice(*arguments, **how)
    assert not CONTROL.search(ended.stdout), (arguments, ended.stdout)
    assert any("evil" in line and json.loads(line)
        for line in ended.stdout.splitlines()), (arguments, ended)
