"""cancel, redrive, retention beside other sessions: nobody waits for an open transaction, and
nothing is lost."""
import json
from contextlib import contextmanager

import psycopg2
import pytest
from conftest import connect, query, wait_for
from queue_tools import add_model, submit

pytestmark = pytest.mark.plain_build_only

RANGE = 1_000_000


@pytest.fixture
def url(pg):
    url = pg.database()
    add_model(url, "m", "http://127.0.0.1:1")
    return url


@pytest.fixture
def read(sluice, url):
    def run(*arguments):
        ended = sluice(*arguments, "--database-url", url)
        assert (ended.returncode, ended.stderr) == (0, "")
        return ended.stdout.splitlines()
    return run


@contextmanager
def session(url, begin=False):
    """A cursor that gives up instead of waiting for a lock; `begin`: in a transaction, undone at
    the end."""
    connection = connect(url)
    connection.autocommit = not begin
    try:
        with connection.cursor() as cursor:
            cursor.execute("set lock_timeout = '500ms'")
            yield cursor
    finally:
        connection.close()


def registered(cursor):
    cursor.execute("select sluice.register_worker('by hand', 10)")
    return cursor.fetchone()[0]


def claimed(cursor, worker):
    cursor.execute("select task_id, fence from sluice.claim(%s, null, 10)", (worker,))
    return cursor.fetchall()


def complete(cursor, worker, task, fence, kind):
    cursor.execute("select applied from sluice.complete(%s, array[(%s, %s, %s, null, null, null, "
        "null, null, null, null, null, null)::sluice.outcome])", (worker, task, fence, kind))
    return cursor.fetchone()[0]


def status(url, task):
    rows = query(url, "select status from sluice.task(%s)", (task,))
    return rows[0][0] if rows else None


def tick(url):
    return query(url, "select sluice.tick()")[0][0]


def test_a_cancel_tells_the_worker_at_once(url):
    with session(url) as worker_session, session(url) as listener:
        worker = registered(worker_session)
        task = submit(url, "x")
        claimed(worker_session, worker)
        listener.execute("listen sluice_abort")
        assert query(url, "select sluice.cancel(%s)", (task,)) == [("processing",)]

        def told():
            listener.connection.poll()
            return listener.connection.notifies
        wait_for(told, 20, "the notification")
        assert [note.payload for note in listener.connection.notifies] == [str(worker)]
        worker_session.execute("select task_id, fence from sluice.heartbeat(%s)", (worker,))
        assert worker_session.fetchall() == [(task, 1)]
        assert complete(worker_session, worker, task, 1, "cancelled")
    assert status(url, task) == "cancelled"


@pytest.mark.parametrize("kind", ["retry", "returned", "throttled"])
def test_an_open_cancel_holds_up_no_flush_and_is_kept_all_the_same(url, kind):
    with session(url) as worker_session, session(url, begin=True) as canceller:
        worker = registered(worker_session)
        task = submit(url, "x")
        (_, fence), = claimed(worker_session, worker)
        canceller.execute("select sluice.cancel(%s)", (task,))
        assert canceller.fetchone() == ("processing",)
        assert complete(worker_session, worker, task, fence, kind)
        assert status(url, task) in ("queued", "unsolved")
        canceller.connection.commit()
        assert tick(url)["cancelled"] == 1
    assert status(url, task) == "cancelled"
    assert query(url, "select count(*) from sluice.cancellation") == [(0,)]


def test_an_open_cancel_of_a_waiting_task_holds_up_no_sweep(url):
    task, running = submit(url, "x"), submit(url, "y")
    query(url,
        "insert into sluice.cancellation (task_id, worker, at, fence) values (%s, 1, now(), 7)",
        (task,))
    with session(url, begin=True) as canceller:
        canceller.execute("select sluice.cancel(%s)", (task,))
        assert tick(url)["cancelled"] == 0
        assert status(url, running) == "queued"
    assert tick(url)["cancelled"] == 1
    assert status(url, task) == "cancelled"


def fill_range(url):
    """One cancelled and one waiting task in the first range, whose ids are then all given out."""
    ended, waiting = submit(url, "x"), submit(url, "y")
    query(url, "select sluice.cancel(%s)", (ended,))
    query(url, "update sluice.settings set retention = '1 millisecond'")
    query(url, "select setval('sluice.task_id', %s)", (RANGE,))
    return ended, waiting


def wait_dropped(url):
    wait_for(lambda: tick(url)["dropped"] == 1, 20, "the range to be dropped")


def test_an_open_report_delays_retention_and_nothing_else(url):
    ended, waiting = fill_range(url)
    with session(url, begin=True) as report, session(url) as submitter:
        report.execute("select count(*) from sluice.task")
        for _ in range(3):
            assert tick(url)["dropped"] == 0
            query(url, "select setval('sluice.retain_after', 0, false)")
            submitter.execute("select sluice.submit('z', 'm')")
        assert query(url, "select count(*) from pg_locks where not granted") == [(0,)]
        assert status(url, ended) == "cancelled"
    wait_dropped(url)
    assert status(url, ended) is None
    assert status(url, waiting) == "queued"


def test_a_submit_that_commits_late_into_an_old_range_is_not_lost(url):
    with session(url, begin=True) as late:
        late.execute("select sluice.submit('late', 'm')")
        task = late.fetchone()[0]
        fill_range(url)
        query(url, "select sluice.submit('z', 'm')")
        assert tick(url)["dropped"] == 0
        late.connection.commit()
    wait_dropped(url)
    assert status(url, task) == "queued"
    assert query(url, "select prompt from sluice.task(%s)", (task,)) == [("late",)]


def test_a_partition_made_in_an_open_transaction_refuses_others_with_a_hint(url):
    with session(url, begin=True) as maker:
        query(url, "select setval('sluice.task_id', %s)", (3 * RANGE - 1,))
        maker.execute("select sluice.submit('x', 'm')")
        with pytest.raises(psycopg2.Error) as refused:
            submit(url, "y")
        assert refused.value.pgcode == "SL003" and "still open" in refused.value.diag.message_hint
    # It was undone: the next submit makes the partitions itself.
    assert status(url, submit(url, "y")) == "queued"


def test_cancel_all_says_how_many(read, url):
    team = json.dumps({"team": "a"})
    for metadata in (team, team, None):
        submit(url, "x", metadata=metadata)
    assert read("cancel", "--all", "--metadata", team) == ["2"]
    assert read("cancel", "--all", "--model", "m", "--tenant", "default") == ["1"]
    assert read("cancel", "--all", "--batch-id", "7") == ["0"]


def test_redrive_sends_back_one_or_all_dead_letters(read, sluice, url):
    cancelled = submit(url, "x")
    query(url, "select sluice.cancel(%s)", (cancelled,))
    assert read("redrive", cancelled) == [str(cancelled)]
    assert status(url, cancelled) == "queued"
    run = sluice("redrive", cancelled, "--database-url", url)
    assert run.returncode == 1 and run.stderr.startswith(
        f"sluice: task {cancelled} is still queued")
    with session(url) as worker_session:
        worker = registered(worker_session)
        failed = submit(url, "x")
        tick(url)
        for task, fence in claimed(worker_session, worker):
            complete(worker_session, worker, task, fence, "failed")
    assert status(url, failed) == "failed"
    assert [json.loads(line)["id"] for line in read("dead-letters", "--model", "m",
        "--json")] == [failed, cancelled]
    assert read("dead-letters", "--model", "other", "--json") == []
    assert read("redrive", "--all", "--error-like", "HTTP 5%") == ["0"]
    assert read("redrive", "--all", "--error", "HTTP 5%", "--error-code", "http_400") == ["0"]
    assert read("redrive", "--all", "--until", "1h") == ["0"]
    assert read("redrive", "--all", "--since", "2999-01-01 00:00+00") == ["0"]
    assert read("redrive", "--all", "--tenant", "nobody") == ["0"]
    assert read("redrive", "--all", "--model", "m", "--since", "1h", "--tenant", "default") == ["2"]
    assert read("redrive", "--all", "--everything") == ["0"]


def test_forget_erases_one_or_all_that_meet_the_conditions(read, sluice, url):
    team = json.dumps({"team": "a"})
    ids = [submit(url, "secret", metadata=metadata) for metadata in (team, team, None)]
    refused = sluice("forget", ids[0], "--database-url", url)
    assert refused.returncode == 1 and "is still" in refused.stderr

    def remembered():
        return query(url, "select count(*) from sluice.tasks where prompt = 'secret'")[0][0]
    assert read("cancel", "--all", "--everything") == ["3"]
    assert read("forget", "--all", "--until", "1h") == ["0"] and remembered() == 3
    assert read("forget", ids[0]) == [str(ids[0])] and remembered() == 2
    assert read("forget", "--all", "--metadata", team) == ["1"] and remembered() == 1
    assert read("forget", "--all", "--everything") == ["1"] and remembered() == 0
    bad = sluice("forget", "--all", "--since", "yesteryear", "--database-url", url)
    assert bad.returncode == 1 and "yesteryear" in bad.stderr


@pytest.mark.parametrize("arguments", [
    ["cancel"], ["cancel", "--all"], ["cancel", "1", "--all"], ["cancel", "1", "--model", "m"],
    ["redrive"], ["redrive", "1", "--all"], ["redrive", "1", "--error-like", "x"],
    ["redrive", "--all"],
    ["redrive", "1", "--everything"], ["redrive", "--all", "--everything", "--model", "m"],
    ["forget"], ["forget", "--all"], ["forget", "1", "--tenant", "t"],
])
def test_an_ambiguous_command_is_exit_2(sluice, url, arguments):
    run = sluice(*arguments, "--database-url", url)
    assert run.returncode == 2 and run.stderr.count("\n") == 1


@pytest.mark.parametrize("command", ["cancel", "redrive", "forget"])
@pytest.mark.parametrize("names", [("EVERYTHING",), ("MODEL",), ("UNTIL", "TENANT")])
def test_what_is_done_to_many_tasks_is_not_read_from_the_environment(sluice, url, command, names):
    task = submit(url, "kept")
    environment = {f"SLUICE_{name}": {"EVERYTHING": "1", "MODEL": "m", "UNTIL": "0s",
        "TENANT": "default"}[name] for name in names}
    for arguments, variables in ((["--all"], environment), ([], environment | {"SLUICE_ALL": "1"})):
        run = sluice(command, *arguments, "--database-url", url, env=variables)
        assert run.returncode == 2, run.stdout
    assert status(url, task) != "cancelled"
