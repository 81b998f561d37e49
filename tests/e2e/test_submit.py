"""sluice submit: every line becomes a task, or its number and the reason are named."""
import json
import os
import pty
import select
import signal
import time

import pytest
from conftest import BINARY, clean_environment, connect, query, wait_for


@pytest.fixture
def url(pg):
    """A database with the models m1 and m2, without limits."""
    url = pg.database()
    query(url, "insert into sluice.models (name, url) "
        "values ('m1', 'http://127.0.0.1:1'), ('m2', 'http://127.0.0.1:1')")
    return url


@pytest.fixture
def submit(sluice, url, tmp_path):
    """A function that submits lines (objects or raw text) as a file: the ended process."""
    def run(lines, *flags):
        path = tmp_path / "tasks.jsonl"
        path.write_bytes(b"".join(encoded(line) + b"\n" for line in lines))
        return sluice("submit", path, "--database-url", url, *flags)
    return run


def encoded(line):
    if isinstance(line, bytes):
        return line
    return (line if isinstance(line, str) else json.dumps(line)).encode()


def ids_of(run):
    return [int(line) for line in run.stdout.split()]


def tasks(url, columns="prompt"):
    return query(url, f"select {columns} from sluice.tasks order by id")


def test_lines_have_a_schema_version(submit, url):
    query(url, "insert into sluice.payload_schema values ('m1', '2', null), "
        """('m1', '3', '{"maxLength": 3}')""")
    run = submit([{"prompt": "long", "model": "m1"}, {"prompt": "x", "model": "m1",
        "schema_version": "3"}], "--schema-version", "2")
    assert len(ids_of(run)) == 2 and tasks(url, "schema_version") == [("2",), ("3",)]
    run = submit([{"prompt": "x", "model": "m1"}, {"prompt": "long", "model": "m1"}],
        "--schema-version", "3")
    assert run.returncode == 1 and "line 2" in run.stderr and "$ is longer than 3" in run.stderr


def test_a_dry_run_submits_nothing(submit, sluice, url):
    query(url, "update sluice.models set input_price = 1, output_price = 2 where name = 'm1'")
    lines = [{"prompt": "x" * 4000, "model": "m1", "max_output_tokens": 50}] * 2500
    run = submit(lines + [{"prompt": "x", "model": "m2"}], "--dry-run", "--json")
    m1, m2 = (json.loads(row) for row in run.stdout.splitlines())
    assert (m1["model"], m1["count"], m1["output_tokens"]) == ("m1", 2500, 125_000)
    assert m1["input_tokens"] == 2500 * 1008
    assert m1["cost_max"] == pytest.approx((2500 * 4064 + 2 * 125_000) / 1e6)
    assert "no live worker" in m1["why"] and (m2["count"], m2["unpriced"]) == (1, ["m2"])
    table = submit(lines[:1] + [{"prompt": "x", "model": "m2"}], "--dry-run").stdout
    assert table.split("\n")[3].split()[:2] == ["all", "2"] and "no price: m2" in table
    bad = submit([*lines[:1], {"promt": "x"}], "--dry-run")
    assert bad.returncode == 1 and "line 2" in bad.stderr
    kept = submit([*lines[:1], {"promt": "x"}], "--dry-run", "--on-error", "skip", "--json")
    assert kept.returncode == 1 and json.loads(kept.stdout)["count"] == 1
    for flags in (("--wait", "--dry-run"), ("--json",)):
        assert submit(lines[:1], *flags).returncode == 2
    assert tasks(url) == []


class HandWorker:
    """A worker by hand, through the SQL protocol."""

    def __init__(self, url):
        self.cursor = connect(url).cursor()
        self.id = self.call("select sluice.register_worker('by hand', 1000)")[0][0]

    def call(self, sql, *parameters):
        self.cursor.execute(sql, parameters)
        return self.cursor.fetchall()

    def claim(self):
        return self.call("select task_id, fence, prompt from sluice.claim(%s, null, 1000)", self.id)

    def complete(self, task, fence, kind="solved", answer=None, error=None):
        self.call("select * from sluice.complete(%s, array[(%s, %s, %s, %s, null, %s, null, null, "
            "null, 3, 4, null)::sluice.outcome])", self.id, task, fence, kind, answer, error)

    def close(self):
        self.cursor.connection.close()


@pytest.fixture
def hand_worker(url):
    worker = HandWorker(url)
    yield worker
    worker.close()


def test_ids_come_in_the_order_of_the_lines_over_many_chunks(submit, url):
    run = submit([{"prompt": f"p{number}"} for number in range(2500)])
    assert (run.returncode, run.stderr) == (0, "")
    ids = ids_of(run)
    assert len(ids) == 2500
    stored = dict(query(url, "select id, prompt from sluice.tasks"))
    assert [stored[number] for number in ids] == [f"p{number}" for number in range(2500)]


def test_flags_are_defaults_for_lines_that_lack_the_key(submit, url):
    own = {"prompt": "own", "model": "m2", "priority": 1, "tenant": "u", "metadata": {"own": True}}
    run = submit([{"prompt": "bare"}, own], "--model", "m1", "--priority", "7", "--tenant", "t",
        "--metadata", '{"a": 1}')
    assert run.returncode == 0, run.stderr
    assert tasks(url, "prompt, model, priority, tenant, metadata") == [
        ("bare", "m1", 7, "t", {"a": 1}), ("own", "m2", 1, "u", {"own": True})]


def test_empty_lines_are_passed_over_and_the_last_needs_no_newline(sluice, url):
    run = sluice("submit", "-", "--database-url", url,
        input='\n{"prompt": "a"}\r\n  \n{"prompt": "b"}')
    assert (run.returncode, len(ids_of(run))) == (0, 2)
    assert tasks(url) == [("a",), ("b",)]


def test_nothing_to_submit_is_success(submit):
    run = submit([])
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


BAD_LINES = [
    ("not json", "not a JSON object"),
    ('{"prompt": "a"}, {"prompt": "b"}', "not a JSON object"),
    (b'{"prompt": "\xff"}', "invalid UTF-8"),
    ('{"prompt": "nul \\u0000"}', "\\u0000 cannot be converted to text"),
    ('{"prompt": tru}', "invalid input syntax for type json"),
    ({"prompt": "x", "model": "nope"}, 'there is no model or route "nope"'),
    ({"prompt": "x", "colour": 1}, 'unknown key "colour"'),
    ({"prompt": "x", "priority": 1000}, "priority 1000 is not between -100 and 100"),
    ({}, "exactly one of prompt and request must be given"),
]


@pytest.mark.parametrize("flags, said", [
    ([], ["line 2"]), (["--on-error", "skip"], ["line 2", "line 3", "line 5", "line 6"])])
def test_bad_lines_are_reported_in_their_order_whoever_refuses_them(submit, flags, said):
    unknown = {"prompt": "x", "model": "nope"}
    run = submit([{"prompt": "a"}, unknown, "not json", {"prompt": "b"}, "[]", unknown], *flags)
    assert [line.split(": ")[1] for line in run.stderr.splitlines()] == said, run.stderr
    assert len(ids_of(run)) == (2 if flags else 0)


@pytest.mark.parametrize("bad, reason", BAD_LINES, ids=[reason for _, reason in BAD_LINES])
def test_abort_names_the_line_and_submits_nothing(submit, url, bad, reason):
    run = submit([{"prompt": f"p{number}"} for number in range(1200)] + [bad, {"prompt": "after"}])
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr.startswith("sluice: line 1201: ") and reason in run.stderr
    assert run.stderr.count("\n") == 1 and run.stderr.endswith(
        "; nothing was submitted (--on-error skip submits the others)\n")
    assert tasks(url) == []


def test_skip_reports_each_bad_line_and_submits_the_others(submit, url):
    lines = [{"prompt": "first"}]
    for bad, _ in BAD_LINES:
        lines += [bad, {"prompt": "between"}]
    run = submit(lines, "--on-error", "skip")
    assert run.returncode == 1
    assert len(ids_of(run)) == len(tasks(url)) == 1 + len(BAD_LINES)
    reported = sorted(run.stderr.splitlines(), key=lambda line: int(line.split()[2].rstrip(":")))
    assert len(reported) == len(BAD_LINES)
    for place, (report, (_, reason)) in enumerate(zip(reported, BAD_LINES)):
        assert report.startswith(f"sluice: line {2 * place + 2}: ") and reason in report


def test_no_error_quotes_a_prompt(submit):
    run = submit(['{"prompt": "hush-hush \\u0000"}', '{"prompt": "hush-hush", "priority": x}'],
        "--on-error", "skip")
    assert run.returncode == 1 and run.stderr.count("\n") == 2
    assert "hush" not in run.stderr


def test_a_prompt_of_20_mb_is_accepted_and_one_above_the_limit_refused(submit, url):
    run = submit([{"prompt": "y" * 20_000_000}, {"prompt": "z" * (33 << 20)}], "--on-error", "skip")
    assert run.returncode == 1
    assert ("line 2: the task has 34603008 bytes, more than request_bytes_max = 33554432"
            in run.stderr)
    assert query(url, "select octet_length(prompt) from sluice.tasks") == [(20_000_000,)]


def test_one_idempotency_key_is_one_task_and_other_content_names_its_line(submit, url):
    same = {"prompt": "a", "idempotency_key": "k"}
    first, second = ids_of(submit([same, same]))
    assert first == second
    run = submit([{"prompt": "b"}, {"prompt": "other", "idempotency_key": "k"}])
    assert run.returncode == 1 and run.stderr.startswith("sluice: line 2: ")
    assert tasks(url) == [("a",)]


def test_numbers_beyond_a_double_are_kept(submit, url):
    run = submit(['{"prompt": "a", "metadata": {"n": 123456789012345678901234567890}}'])
    assert run.returncode == 0
    assert query(url,
        "select metadata->>'n' from sluice.tasks") == [("123456789012345678901234567890",)]


def test_flags_give_the_times_the_bound_and_the_key(sluice, url):
    flags = ["submit", "--prompt", "x", "--model", "m1", "--run-at", "2040-01-01 08:00+00",
        "--deadline", "2040-01-02T08:00:00Z", "--max-output-tokens", "7",
        "--idempotency-key", "k", "--database-url", url]
    first, again = sluice(*flags), sluice(*flags)
    assert first.stdout == again.stdout != ""
    assert query(url, "select max_output_tokens, run_at = '2040-01-01 08:00+00',"
        " deadline = '2040-01-02 08:00+00' from sluice.task") == [(7, True, True)]
    late = sluice("submit", "--prompt", "x", "--model", "m1", "--deadline", "2020-01-01",
        "--database-url", url)
    assert late.returncode == 1 and "is past" in late.stderr


@pytest.mark.parametrize("flags",
    [[], ["a.jsonl", "--prompt", "x"], ["--prompt", "x", "--metadata", "[1]"],
        ["--prompt", "x", "--priority", "101"], ["-", "--on-error", "perhaps"],
        ["-", "--idempotency-key", "one for all lines"],
        ["--prompt", "x", "--max-output-tokens", "0"]])
def test_a_wrong_command_line_is_exit_2(sluice, url, flags):
    run = sluice("submit", *flags, "--database-url", url)
    assert run.returncode == 2 and run.stderr.startswith("sluice: ") and run.stderr.count("\n") == 1


def test_a_missing_file_is_named(sluice, url):
    run = sluice("submit", "nowhere.jsonl", "--database-url", url)
    assert run.returncode == 1 and "cannot open nowhere.jsonl" in run.stderr
    run = sluice("submit", "What is\n2+2?", "--database-url", url)
    assert (run.returncode == 1 and "cannot open What is 2+2?" in run.stderr
        and "--prompt" in run.stderr)


def test_a_wrong_dsn_is_exit_4_and_the_password_is_not_printed(sluice):
    run = sluice("submit", "--prompt", "x", "--database-url",
        "postgresql://u:hush-hush@127.0.0.1:1/x")
    assert run.returncode == 4 and run.stderr.count("\n") == 1
    assert "hush" not in run.stderr


def test_a_database_without_schema_is_exit_5(sluice, pg):
    run = sluice("submit", "--prompt", "x", "--database-url", pg.empty_database())
    assert run.returncode == 5 and "sluice migrate" in run.stderr


def test_wait_prints_each_task_as_it_ends(started, url, hand_worker, tmp_path):
    path = tmp_path / "two.jsonl"
    path.write_text('\n{"prompt": "good"}\n{"prompt": "bad"}\n')
    process = started("submit", path, "--wait", "--database-url", url)
    claimed = {}

    def both_claimed():
        claimed.update({prompt: (task, fence) for task, fence, prompt in hand_worker.claim()})
        return len(claimed) == 2
    wait_for(both_claimed)
    hand_worker.complete(*claimed["good"], answer='an "answer"\nof two lines')
    process.wait_for_output("of two lines")
    assert process.running()
    hand_worker.complete(*claimed["bad"], kind="failed", error="no such thing")
    assert process.wait() == 1
    good, bad = map(json.loads, process.stdout().splitlines())
    assert good == {"line": 2, "id": claimed["good"][0], "status": "solved", "model": good["model"],
                    "answer": 'an "answer"\nof two lines', "error": None,
                    "error_code": None, "attempts": 1,
                    "input_tokens": 3, "output_tokens": 4}
    assert (bad["line"], bad["status"], bad["error"]) == (3, "failed", "no such thing")


@pytest.mark.parametrize("kind, code, stdout", [("solved", 0, "forty-two\n"), ("failed", 1, "")])
def test_wait_with_a_prompt_prints_the_bare_answer(started, url, hand_worker, kind, code, stdout):
    process = started("submit", "--prompt", "six by nine?", "--wait", "--database-url", url)
    (task, fence, _), = wait_for(hand_worker.claim)
    hand_worker.complete(task, fence, kind, answer="forty-two" if kind == "solved" else None,
                         error=None if kind == "solved" else "too hard")
    assert process.wait() == code
    assert process.stdout() == stdout
    assert process.stderr() == ("" if code == 0
        else f"sluice: task {task} ended failed: too hard\n")


def test_ctrl_c_ends_the_wait_and_the_task_goes_on(started, url):
    process = started("submit", "--prompt", "x", "--wait", "--database-url", url)
    wait_for(lambda: tasks(url), what="the task")
    process.signal(signal.SIGINT)
    assert process.wait() == 130
    (task, status), = tasks(url, "id, status")
    assert status in ("queued", "unsolved")
    assert process.stderr().endswith(f"sluice: interrupted; task {task} goes on: "
        f"sluice task {task} shows it, sluice cancel {task} ends it\n"), process.stderr()


def test_ctrl_c_names_some_of_many_tasks(started, url, tmp_path):
    path = tmp_path / "tasks.jsonl"
    path.write_text('{"prompt": "x"}\n' * 7)
    process = started("submit", path, "--wait", "--database-url", url)
    wait_for(lambda: submit_session(url, "query like '%sluice.tasks%'"), what="the waiter to ask")
    process.signal(signal.SIGINT)
    assert process.wait() == 130
    ids = sorted(task for task, in tasks(url, "id"))
    assert "interrupted; 7 tasks go on, if they have not ended: " \
        f"{', '.join(map(str, ids[:5]))} to {ids[-1]} (sluice task ID" in process.stderr()


@pytest.fixture
def held_commit(pg):
    """A database with one model in which every submit stops inside its COMMIT until released, as
    (url, release)."""
    url = pg.database()
    query(url, "insert into sluice.models (name, url) values ('m1', 'http://127.0.0.1:1')")
    query(url, """create function public.hold() returns trigger language plpgsql as
                  'begin perform pg_advisory_xact_lock(4711); return null; end';
                  create constraint trigger hold after insert on sluice.task
                  deferrable initially deferred for each row execute function public.hold()""")
    query(url, "checkpoint")  # recovery need not replay the databases of other tests
    holder = connect(url)
    holder.cursor().execute("select pg_advisory_lock(4711)")
    yield url, holder.close
    holder.close()


def submit_session(url, condition):
    return query(url, "select 1 from pg_stat_activity "
        f"where application_name = 'sluice' and {condition}")


def cancelled_by_hand(sluice, url, process):
    """Whether the waiting process reports the end of its one task."""
    (task,), = tasks(url, "id")
    assert sluice("cancel", task, "--database-url", url).stdout == "cancelled\n"
    assert process.wait() == 1
    return f"task {task} ended cancelled" in process.stderr()


def test_wait_survives_a_restart_of_the_database(started, sluice, url, pg):
    query(url, "checkpoint")  # recovery need not replay the databases of other tests
    process = started("submit", "--prompt", "x", "--wait", "--database-url", url)
    wait_for(lambda: submit_session(url, "query like '%sluice.tasks%'"), what="the waiter to ask")
    pg.stop("immediate")
    pg.start()
    assert cancelled_by_hand(sluice, url, process)


def test_wait_survives_a_database_that_is_away_right_after_the_commit(started,
        sluice, held_commit, pg):
    url, release = held_commit
    process = started("submit", "--prompt", "x", "--wait", "--database-url", url)
    wait_for(lambda: submit_session(url, "wait_event = 'advisory'"),
        what="the submit to be in its COMMIT")
    (name,), = query(url, "select current_database()")
    query(pg.url("postgres"), f"alter database {name} allow_connections false")
    release()
    refusal = f'database "{name}" is not currently accepting connections'
    wait_for(lambda: pg.server.log().count(refusal) > 1 or not process.running(),
        what="two attempts to connect")
    query(pg.url("postgres"), f"alter database {name} allow_connections true")
    assert cancelled_by_hand(sluice, url, process)


def test_a_lost_answer_to_the_commit_is_explained(started, held_commit):
    url, _ = held_commit
    process = started("submit", "--prompt", "x", "--database-url", url)
    wait_for(lambda: submit_session(url, "wait_event = 'advisory'"),
        what="the submit to be in its COMMIT")
    query(url, "select pg_terminate_backend(pid) from pg_stat_activity "
        "where application_name = 'sluice'")
    assert process.wait() == 1
    assert process.stdout() == "" and process.stderr().count("\n") == 1
    assert ("may have been submitted or not" in process.stderr()
        and "idempotency_key" in process.stderr())


def test_a_timeout_bounds_the_submit_too(sluice, url):
    holder = connect(url)
    holder.cursor().execute("begin; lock table sluice.task in exclusive mode")
    run = sluice("submit", "--prompt", "x", "--wait", "--timeout", "1s", "--database-url", url)
    holder.close()
    assert (run.returncode, run.stdout, run.stderr) == (1, "",
        "sluice: not submitted within 1s; nothing was submitted\n")
    assert tasks(url) == []


def test_a_terminal_sees_a_bar_of_at_most_80_columns(url, tmp_path):
    path = tmp_path / "many.jsonl"
    path.write_text('{"prompt": "p"}\n' * 1500)
    ours, theirs = pty.openpty()
    pid = os.fork()
    if pid == 0:
        os.dup2(theirs, 2)
        os.dup2(os.open(tmp_path / "ids", os.O_WRONLY | os.O_CREAT), 1)
        os.execve(BINARY, [str(BINARY), "submit", str(path), "--database-url", url],
            clean_environment({"TERM": "xterm"}))
    os.close(theirs)
    shown = b""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        readable, _, _ = select.select([ours], [], [], 1)
        try:
            shown += os.read(ours, 65536) if readable else b""
        except OSError:  # the other end is closed: the process has ended
            break
    os.close(ours)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    draws = [draw.split(b"\x1b")[0] for draw in shown.split(b"\r") if b"lines sent" in draw]
    assert draws and max(map(len, draws)) <= 80 and draws[0].startswith(b"[")
    assert shown.endswith(b"\r\x1b[K")


def test_a_wait_says_what_keeps_the_task_and_ends_in_time(started, url):
    query(url, "update sluice.models set paused = true where name = 'm1'")
    process = started("submit", "--prompt", "hush", "--model", "m1", "--wait", "--timeout",
        "12s", "--database-url", url)
    wait_for(lambda: "the model is paused" in process.stderr(), what="the reason")
    query(url, "update sluice.models set paused = false where name = 'm1'")
    wait_for(lambda: "no live worker serves the model" in process.stderr(), what="the next reason")
    assert process.wait() == 1
    lines = process.stderr().splitlines()
    (task, status), = query(url, "select id, status from sluice.tasks")
    assert len(
        lines) == 3 and lines[-1] == f"sluice: task {task} has not ended within 12s; it goes on"
    assert lines[0].startswith(f"sluice: task {task}: ") and "hush" not in process.stderr()
    assert status == "queued"


def test_a_short_wait_says_what_kept_the_task(started, url):
    query(url, "update sluice.models set paused = true where name = 'm1'")
    process = started("submit", "--prompt", "p", "--model", "m1", "--wait", "--timeout", "1s",
        "--database-url", url)
    assert process.wait() == 1
    reason, end = process.stderr().splitlines()
    assert "the model is paused" in reason and end.endswith("has not ended within 1s; it goes on")


def test_a_wait_is_silent_about_a_task_that_is_being_solved(started, url, hand_worker):
    process = started("submit", "--prompt", "p", "--model", "m1", "--wait", "--database-url", url)
    wait_for(lambda: tasks(url), what="the task")
    task, fence, _ = hand_worker.claim()[0]
    time.sleep(2.5)  # longer than a wait is silent about one that is not
    hand_worker.complete(task, fence, answer="done")
    assert process.wait() == 0
    assert (process.stdout(), process.stderr()) == ("done\n", "")


def test_a_timeout_without_a_wait_is_exit_2(sluice, url):
    ended = sluice("submit", "--prompt", "p", "--timeout", "1s", "--database-url", url)
    assert ended.returncode == 2 and "--wait" in ended.stderr and tasks(url) == []
