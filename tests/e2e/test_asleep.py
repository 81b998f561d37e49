"""Asleep is asleep: who has nothing to do leaves PostgreSQL alone, and misses nothing."""
import time
from contextlib import closing

import pytest
from conftest import connect, http, private_postgres, query, wait_for
from queue_tools import add_model, submit, wait_ended

pytestmark = pytest.mark.plain_build_only

LOOK_S = 6
SOON_S = 4   # well before the next look
START_S = 60  # what processes may take that start on a busy machine
# The statements of sleepers: one look each, every settings.idle_look; a worker in two sessions.
LOOKS = ("select asleep", "select sluice.check_notifications", "select (select max(version)",
    "select sluice.advance_batches")


@pytest.fixture
def watched():
    """A server that counts statements."""
    server = private_postgres.PrivatePostgres(fsync=False,
        settings=["shared_preload_libraries=pg_stat_statements"])
    try:
        server.start()
        yield server
    finally:
        server.remove()


@pytest.fixture
def url(watched, sluice):
    url = watched.url("postgres")
    assert sluice("migrate", "--database-url", url).returncode == 0
    query(url, "create extension pg_stat_statements")
    query(url, "update sluice.settings set idle_look = %s", [f"{LOOK_S} s"])
    return url


def calls(session):
    """Statement -> how often it was called, but for this session's own."""
    with session.cursor() as cursor:
        cursor.execute("select query, sum(calls)::int from pg_stat_statements "
            "where toplevel and query !~ 'pg_stat_statements' group by query")
        return dict(cursor.fetchall())


def wait_asleep(url, workers=1):
    """Until so many workers sleep, and one has just said so."""
    wait_for(lambda: query(url,
            "select count(*), max(seen) > clock_timestamp() + make_interval(secs => %s) "
            "from sluice.worker where dead_at is null and seen > clock_timestamp()",
            [LOOK_S - 1]) == [(workers, True)], 40, "sleep")


def solve_one(url, prompt, deadline_s=SOON_S):
    task = submit(url, prompt)
    wait_for(lambda: query(url, "select status from sluice.result where task_id = %s", [task])
        == [("solved",)], deadline_s, "the result")


def test_sleepers_look_once_in_idle_look_and_say_nothing_else(url, mock, worker, server):
    add_model(url, "m", mock().url)
    for _ in range(2):
        worker(url)
    front = server(url)
    solve_one(url, "before", START_S)
    wait_asleep(url, 2)
    with closing(connect(url)) as session:
        def begun():
            return {statement: count for statement, count in calls(session).items()
                if count > before.get(statement, 0)}
        before = {}
        wait_for(lambda: [before.clear(), before.update(calls(session)), time.sleep(2)]
            and set(begun()) <= {statement for statement in before if statement.startswith(LOOKS)},
            30, "the server's rest")
        before, begun_s = calls(session), time.monotonic()
        time.sleep(2 * LOOK_S)   # what is measured
        said = {statement: count - before.get(statement, 0) for statement, count in begun().items()}
        looks = (time.monotonic() - begun_s) / LOOK_S + 1
    assert said and all(statement.startswith(LOOKS) for statement in said), said
    # Two workers; the server looks at its keys and for batches.
    assert all(count <= 2 * looks for count in said.values()), said
    solve_one(url, "after")
    assert http(front.port, "GET", "/readyz").status == 200


def test_a_task_is_taken_at_once_when_the_watcher_has_died_in_its_sleep(url, mock, worker):
    add_model(url, "m", mock().url)
    processes = {name: worker(f"{url}&application_name={name}") for name in ("one", "two")}
    solve_one(url, "before", START_S)
    wait_asleep(url, 2)
    [(watcher,)] = query(url, """
        select a.application_name from pg_locks l join pg_stat_activity a using (pid)
        where l.locktype = 'advisory' and l.granted
          and l.classid = sluice.lock_class('watcher')""")
    processes[watcher].kill()
    wait_for(lambda: query(url,
        "select count(*) from sluice.worker where seen > clock_timestamp()") == [(1,)],
        20, "the dead one's heartbeat time-out")
    wait_asleep(url)  # the other has just looked
    solve_one(url, "after")


def test_what_is_due_later_is_taken_on_time(url, mock, worker):
    add_model(url, "m", mock().url)
    worker(url)
    solve_one(url, "before", START_S)
    # A third of LOOK_S apart: whoever only looks is late for one of them by two thirds of it at
    # least.
    for third in range(3):
        submit(url, "later", run_at=query(url,
            f"select clock_timestamp() + interval '{3 * LOOK_S + third * LOOK_S / 3} s'")[0][0])
    wait_asleep(url)
    wait_ended(url, 4)
    late_s = query(url, """
        select max(extract(epoch from r.started_at - t.run_at))::float from sluice.result r
        join sluice.task t on t.id = r.task_id where t.prompt = 'later'""")[0][0]
    assert late_s < 0.6 * LOOK_S


def test_a_database_that_suspends_itself_is_no_error(watched, url, mock, worker):
    add_model(url, "m", mock().url)
    process = worker(url)
    solve_one(url, "before", START_S)
    wait_asleep(url)
    watched.stop()
    time.sleep(1)   # so long it is away
    watched.start()
    wait_for(lambda: query(url, "select count(*) from pg_stat_activity where query "
            "like '%%sluice%%' and pid <> pg_backend_pid()")[0][0] > 0, 20, "the worker")
    wait_asleep(url)
    solve_one(url, "after")
    assert " error " not in process.stderr(), process.stderr()
    assert query(url, "select count(*) from sluice.worker where dead_at is null") == [(1,)]
