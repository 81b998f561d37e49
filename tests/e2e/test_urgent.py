"""Urgent tasks (priority above 0) wait neither for room in the queue nor for the end of others'
calls."""
import time
from contextlib import closing

import pytest
from conftest import connect, query, wait_for
from queue_tools import add_model, submit, submit_many, wait_ended

URGENT = 20
# p99 is below 50 ms on a quiet machine (bench/pickup); here it is shared. A task that waited for a
# slot would wait for two minutes.
PICKUP_MAX_S = 5.0


@pytest.mark.parametrize("batch_max", [1, 50])
def test_urgent_tasks_are_picked_up_at_once_while_10_000_wait_and_all_slots_are_taken(pg,
        mock, worker, batch_max):
    url, backend = pg.database(), mock("--latency", "120s")
    add_model(url, "m", backend.url, batch_max=batch_max)
    submit_many(url, [f"cold {i}" for i in range(10_000)])
    process = worker(url, "--slots", 100)
    calls = lambda: {task: arrival["t_ns"] for arrival in backend.arrivals()
        for task in arrival["tasks"]}
    wait_for(lambda: len(calls()) == 100, 30, "all slots to be taken")
    submitted = {}
    for n in range(URGENT):
        task = submit(url, f"mock:delay=10ms urgent {n}", priority=1)
        submitted[f"{task}:1"] = time.monotonic_ns()
        time.sleep(0.03)
    assert wait_ended(url, URGENT, 30) == {"solved": URGENT}
    arrived = wait_for(lambda: calls() if calls().keys() >= submitted.keys()
        else None, 10, "the mock's log")
    pickups = sorted((arrived[task] - then) / 1e9 for task, then in submitted.items())
    assert pickups[URGENT // 2] < PICKUP_MAX_S / 5 and pickups[-1] < PICKUP_MAX_S
    assert query(url, "select count(*) from sluice.lease") == [(100,)]
    process.kill()


def test_a_model_that_has_all_its_slots_stops_no_other(pg, mock, worker):
    """Each of its tasks rouses the worker, which may take none. Another model's were then told to
    nobody, beside the slots that are kept for them, until a call ended."""
    url = pg.database()
    add_model(url, "slow", mock("--latency", "100%:120s").url)
    add_model(url, "quick", mock().url)
    worker(url, "--slots", 32, "--drain-timeout", "100ms")
    took_s = []
    with closing(connect(url)) as session, session.cursor() as cursor:
        for task in range(48):
            cursor.execute("select sluice.submit('slow', 'slow')")
        wait_for(lambda: query(url, "select count(*) >= 28 from sluice.lease") == [(True,)], 30,
            "all slots but those kept")
        for number in range(5):
            cursor.execute("select sluice.submit('slow', 'slow')")
            cursor.execute("select sluice.submit('quick', 'quick')")
            begun, (task,) = time.monotonic(), cursor.fetchone()
            wait_for(lambda: query(url, "select status from sluice.task(%s)", [task]) ==
                [("solved",)], 30, "another model's task")
            took_s.append(time.monotonic() - begun)
    assert sorted(took_s)[2] < 2, took_s
