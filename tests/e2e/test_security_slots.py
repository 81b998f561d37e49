"""Attacks on a worker's slots: calls of one backend that do not end stop no other backend's."""
import os
import time
from contextlib import closing

import pytest
from conftest import BINARY, connect, query, wait_for
from queue_tools import add_model

pytestmark = pytest.mark.plain_build_only

SLOTS = 40


@pytest.mark.parametrize("models,tasks,priority", [(1, 120, 1), (1, 120, 0), (20, 20, 0),
    (20, 20, 1)])
def test_a_backend_that_hangs_leaves_others_their_slots(pg, mock, worker, models, tasks, priority):
    url, hanging = pg.database(), mock("--latency", "100%:120s").url
    for number in range(models):
        add_model(url, f"hangs {number}", hanging)
    add_model(url, "answers", mock().url)
    worker(url, "--slots", SLOTS, "--drain-timeout", "100ms")
    took = []
    with closing(connect(url)) as session, session.cursor() as cursor:
        cursor.execute("select sluice.submit('p', 'hangs ' || m, priority => %s) "
            "from generate_series(0, %s) m, generate_series(1, %s)", [priority, models - 1, tasks])
        wait_for(lambda: query(url, "select count(*) >= %s from sluice.lease", [SLOTS - 2]) ==
            [(True,)], 30, "all slots but those kept")
        for number in range(5):
            begun = time.monotonic()
            cursor.execute("select sluice.submit('p', 'answers', priority => %s)", [10 * number])
            task = cursor.fetchone()
            wait_for(lambda: query(url, "select status from sluice.task(%s)", [task]) ==
                [("solved",)], 20, "a task of the backend that answers")
            took.append(time.monotonic() - begun)
        calls = query(url, "select count(*) from sluice.lease")[0][0]
    print(f"tasks took {max(took):.3f} s at most beside {calls} calls that hang")
    assert SLOTS - 2 <= calls <= SLOTS - 1  # one beside them is for urgent tasks
    assert max(took) < 5


@pytest.mark.parametrize("hedge_after", [None, "200 ms"])
def test_a_worker_has_no_more_calls_than_the_system_allows_open_files(pg, mock, started,
        hedge_after):
    url = pg.database()
    add_model(url, "hangs", mock().url, hedge_after=hedge_after, hedge_budget=1, hedge_max=10)
    add_model(url, "answers", mock().url)
    worker = started("--nofile=200:200", BINARY, "worker", "--database-url", url,
        "--drain-timeout", "100ms", binary="/usr/bin/prlimit")
    warning = "70 slots and no extra calls: the system allows 200 open files"
    wait_for(lambda: warning in worker.stderr(), 30, "a warning")
    query(url, "select sluice.submit('p', 'hangs') from generate_series(1, 300)")
    wait_for(lambda: query(url, "select count(*) from sluice.result") == [(300,)], 30,
        "calls that save for extra ones")
    query(url, "select sluice.submit('mock:delay=120s', 'hangs') from generate_series(1, 300)")
    wait_for(lambda: query(url, "select count(*) >= 60 from sluice.lease") == [(True,)], 30,
        "all slots but those kept")
    files = []
    for number in range(301, 331):  # for 3 s and more, in which extra calls would begin
        query(url, "select sluice.submit('mock:delay=100ms', 'answers')")
        wait_for(lambda: query(url, "select count(*) from sluice.result where status = 'solved'")
            == [(number,)], 10, "a call of the other backend")
        files.append(len(os.listdir(f"/proc/{worker.pid}/fd")))
    assert max(files) < 150
