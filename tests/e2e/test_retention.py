"""Retention with real workers and sessions: tasks leave without anybody's tick, and nothing waits
for it."""
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from threading import Event

import pytest
from conftest import connect, query, wait_for
from queue_tools import add_model, statuses, submit_many

pytestmark = pytest.mark.plain_build_only

SUBMITTERS = 4
# Workers look once a minute when a round has removed nothing, be it for want of time since the last
# one.
ROUND_S = 90


@pytest.fixture
def url(pg):
    return pg.database()


def kept(url):
    return query(url, "select count(*), (select count(*) from sluice.result) from sluice.task")[0]


def ranges(url):
    return query(url, "select min(first_id), count(*) from sluice.id_range")[0]


def close_range(url, ahead="3 days"):
    return query(url, "select sluice.close_range(clock_timestamp() + %s::interval)", (ahead,))[0][0]


def test_workers_alone_keep_the_promise(url, mock, worker):
    add_model(url, "m", mock().url)
    query(url, "select sluice.submit('old', 'm', p_now => clock_timestamp() - interval '3 days') "
               "from generate_series(1, 50)")
    first = worker(url)
    wait_for(lambda: statuses(url) == {"solved": 50}, 60, "the results")
    # Nothing is overdue, but the range is old.
    wait_for(lambda: query(url, "select last_value from sluice.task_id") == [(1_000_000,)], ROUND_S,
        "ids to go on in the next range")
    assert first.stop() == 0
    wait_for(lambda: query(url, "select max(finished_at) < clock_timestamp() - interval '1 second' "
            "from sluice.result")[0][0])
    query(url, "update sluice.settings set retention = '1 second'")
    worker(url)
    # Overdue, so its rows go; and as nobody submits any more, so does the range that they were in.
    wait_for(lambda: kept(url) == (0, 0), ROUND_S, "the tasks to be gone")
    wait_for(lambda: ranges(url)[0] == 1_000_000, ROUND_S, "their range to be gone")
    query(url, "update sluice.settings set retention = '1 day'")
    query(url, "select sluice.submit('new', 'm')")
    wait_for(lambda: statuses(url) == {"solved": 1}, 30, "the next task's result")


def test_ids_that_jump_beside_submits_are_given_out_once(url):
    add_model(url, "m", "http://127.0.0.1:1")

    def submit_some(rounds):
        with connect(url) as connection, connection.cursor() as cursor:
            ids = []
            for _ in range(rounds):
                cursor.execute("select sluice.submit('x', 'm')")
                ids.append(cursor.fetchone()[0])
                connection.commit()
            return ids
    closed = 0
    with ThreadPoolExecutor(SUBMITTERS) as threads:
        running = [threads.submit(submit_some, 1000) for _ in range(SUBMITTERS)]
        while not all(each.done() for each in running):
            closed += close_range(url)
        ids = [task for each in running for task in each.result()]
    assert closed >= 3
    assert len(ids) == len(set(ids)) == SUBMITTERS * 1000 == kept(url)[0]


def test_a_range_is_not_closed_while_a_transaction_has_an_id_of_it(url):
    add_model(url, "m", "http://127.0.0.1:1")
    submit_many(url, ["x"])
    with connect(url) as late, late.cursor() as cursor:
        late.autocommit = False
        cursor.execute("select sluice.submit('late', 'm')")
        assert close_range(url) is False
        submitted, = submit_many(url, ["y"])
        assert submitted < 1_000_000
        late.commit()
    assert close_range(url) is True
    assert submit_many(url, ["z"]) == [1_000_000]


def test_an_open_report_does_not_keep_old_tasks(url):
    """No range can be dropped under it: its overdue tasks are deleted, in rounds."""
    add_model(url, "m", "http://127.0.0.1:1")
    query(url, "update sluice.settings set retention = '1 second'")
    ids = submit_many(url, ["x"] * 6000)
    query(url, "select sluice.cancel_all('m')")
    with connect(url) as report, report.cursor() as cursor:
        report.autocommit = False
        cursor.execute("select count(*) from sluice.task")

        def erase():
            query(url, "select sluice.retain(clock_timestamp() + interval '3000 seconds')")
            return kept(url) == (0, 0)
        wait_for(erase, 30, "the tasks to be gone")
        cursor.execute("select count(*) from sluice.task")
        assert cursor.fetchone()[0] == 0  # READ COMMITTED
    assert query(url, "select count(*) from sluice.tasks where id = any (%s)", (ids,)) == [(0,)]


def test_a_drop_that_finds_an_open_report_is_tried_again_10_s_later(url):
    """Who submits waits behind it, for at most 50 ms each time."""
    add_model(url, "m", "http://127.0.0.1:1")
    submit_many(url, ["x"])
    query(url, "select sluice.cancel_all('m')")
    query(url, "update sluice.settings set retention = '1 second'")
    query(url, "select setval('sluice.task_id', 1000001)")
    retain = "select dropped from sluice.retain(clock_timestamp() + %s::interval)"
    with connect(url) as report, report.cursor() as cursor:
        report.autocommit = False
        cursor.execute("select count(*) from sluice.task")
        assert query(url, retain, ("1 minute",)) == [(0,)]
        seconds, = query(url, "select last_value / 1e6 - extract(epoch from clock_timestamp()) "
            "from sluice.retain_after")[0]
        assert 65 < seconds < 75
        assert query(url, retain, ("61 seconds",)) == [(0,)]
    assert query(url, retain, ("2 minutes",)) == [(1,)]


def test_a_range_is_dropped_beside_submits_that_never_pause(url):
    """Each has its lock for 20 ms, and there is no moment in which nobody has one."""
    add_model(url, "m", "http://127.0.0.1:1")
    submit_many(url, ["x"] * 100)
    query(url, "select sluice.cancel_all('m')")
    query(url, "update sluice.settings set retention = '1 second'")
    query(url, "select setval('sluice.task_id', 1000001)")
    stopped = Event()

    def submit_on():
        connection = connect(url)
        connection.autocommit = True
        with closing(connection), connection.cursor() as cursor:
            while not stopped.is_set():
                cursor.execute("select sluice.submit('x', 'm'), pg_sleep(0.02)")
    with ThreadPoolExecutor(2 * SUBMITTERS) as threads:
        running = [threads.submit(submit_on) for _ in range(2 * SUBMITTERS)]
        try:
            wait_for(lambda: query(url, "select dropped from sluice.retain(clock_timestamp() + "
                    "interval '10 seconds')") == [(1,)], 60, "the range to be dropped")
        finally:
            stopped.set()
        for each in running:
            each.result()
