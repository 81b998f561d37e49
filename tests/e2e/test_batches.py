"""Many cold tasks in one call: far fewer calls, and each task still has its own end."""
import time

from conftest import query, wait_for
from queue_tools import (add_model, assert_each_ended_once, assert_no_fence_twice,
    set_heartbeat_timeout, statuses, submit, submit_many, wait_ended, wait_idle)

ANSWERED = "answer = 'm: ' || encode(sha256(convert_to(prompt, 'UTF8')), 'hex')"


def task(url, id, columns="status, attempts"):
    return query(url, f"select {columns} from sluice.task(%s)", [id])[0]


def sizes(mock):
    return [len(arrival["tasks"]) for arrival in mock.arrivals()]


def test_a_thousand_cold_tasks_take_few_calls_and_a_hot_one_does_not_wait_for_them(pg,
        mock, worker):
    url, backend = pg.database(), mock("--latency", "2s-3s")
    add_model(url, "m", backend.url, batch_max=50)
    worker(url, "--slots", 500)
    wait_idle(url)
    ids = submit_many(url, [f"cold {i}" for i in range(1000)])
    wait_for(lambda: sum(sizes(backend)) >= 300, 20, "cold ones under way")
    hot = submit(url, "mock:delay=1ms hot", priority=5)
    wait_for(lambda: task(url, hot)[0] == "solved", 20, "the hot one")
    assert statuses(url).get("solved", 0) < 1001  # while cold ones are under way
    assert wait_ended(url, 1001) == {"solved": 1001}
    assert_each_ended_once(url, [*ids, hot])
    assert_no_fence_twice(backend)
    assert query(url, "select count(*) from sluice.tasks "
        f"where {ANSWERED} and attempts = 1") == [(1001,)]
    assert [f"{hot}:1"] in [arrival["tasks"] for arrival in backend.arrivals()]
    assert max(sizes(backend)) == 50
    assert len(sizes(backend)) <= 60


def test_one_bad_prompt_fails_alone(pg, mock, worker):
    url, backend = pg.database(), mock()
    add_model(url, "m", backend.url, batch_max=50)
    prompts = [f"good {i}" for i in range(40)]
    ids = submit_many(url, prompts[:20] + ["mock:error"] + prompts[20:])
    worker(url)
    assert wait_ended(url, 41) == {"solved": 40, "failed": 1}
    assert task(url, ids[20], "status, attempts, error_code") == ("failed", 1, "http_500")
    assert query(url, "select count(*) from sluice.tasks "
        f"where {ANSWERED} and attempts = 1") == [(40,)]
    wait_for(lambda: sizes(backend) == [41], 20, "one call")


def test_a_prompt_that_brings_every_batch_down_costs_the_others_nothing(pg, mock, worker):
    url, backend = pg.database(), mock()
    add_model(url, "m", backend.url, batch_max=64, backoff_base="1 millisecond",
        backoff_max="1 millisecond")
    ids = submit_many(url, [f"good {i}" for i in range(40)] + ["mock:status=500"]
        + [f"good {i}" for i in range(40, 63)])
    worker(url)
    assert wait_ended(url, 64) == {"solved": 63, "failed": 1}
    assert query(url, "select count(*) from sluice.tasks "
        f"where {ANSWERED} and attempts = 1") == [(63,)]
    assert task(url, ids[40], "status, attempts, error_code") == ("failed", 3, "http_500")
    assert_each_ended_once(url, ids)
    assert_no_fence_twice(backend)
    # It went in batches of 64, 32, 16, 8, 4, 2, then alone; whoever was with it has a note of it.
    assert query(url, "select count(*) filter (where kind = 'returned'), count(*) filter "
        "(where kind <> 'returned') from sluice.attempt where task_id = %s", [ids[40]]) == [(6, 3)]
    assert query(url, "select count(*) from sluice.attempt "
        "where kind = 'returned'") == [(64 + 32 + 16 + 8 + 4 + 2,)]
    assert query(url, "select count(*) from sluice.breaker where state <> 'closed'") == [(0,)]


def test_a_backend_that_is_down_for_batches_trips_the_breaker_and_costs_no_attempts(pg,
        mock, worker):
    url, backend = pg.database(), mock("--error-rate", "1")
    add_model(url, "m", backend.url, batch_max=10, breaker_failures=5)
    ids = submit_many(url, [f"task {i}" for i in range(100)])
    worker(url)
    wait_for(lambda: query(url, "select count(*) from sluice.breaker where state = 'open'")
        == [(1,)], 20, "the breaker")
    wait_for(lambda: query(url, "select count(*) from sluice.lease") == [(0,)],
        20, "the calls under way")
    assert statuses(url) == {}
    assert query(url, "select count(*) from sluice.queue where attempts = 0") == [(100,)]
    assert len(ids) == 100


def test_a_worker_killed_in_mid_batch_loses_nothing(pg, mock, worker):
    url, backend = pg.database(), mock("--latency", "3s")
    add_model(url, "m", backend.url, batch_max=50)
    set_heartbeat_timeout(url, "1 second")
    ids = submit_many(url, [f"prompt {i}" for i in range(100)])
    first = worker(url)
    wait_for(lambda: sum(sizes(backend)) == 100, 20, "the calls")
    first.kill()
    worker(url)
    assert wait_ended(url, 100) == {"solved": 100}
    assert_each_ended_once(url, ids)
    assert_no_fence_twice(backend)
    assert query(url, "select count(*) from sluice.tasks "
        f"where {ANSWERED} and attempts = 2") == [(100,)]


def test_cancelling_one_of_a_batch_drops_its_result_only(pg, mock, worker):
    url, backend = pg.database(), mock("--latency", "3s")
    add_model(url, "m", backend.url, batch_max=50)
    ids = submit_many(url, [f"prompt {i}" for i in range(20)])
    worker(url)
    wait_for(lambda: sizes(backend) == [20], 20, "the call")
    assert query(url, "select sluice.cancel(%s)", [ids[7]]) == [("processing",)]
    wait_for(lambda: task(url, ids[7])[0] == "cancelled", 20, "the cancelled one")
    assert statuses(url) == {"cancelled": 1}  # the others' call goes on
    assert wait_ended(url, 20) == {"solved": 19, "cancelled": 1}
    assert sizes(backend) == [20]
    assert_each_ended_once(url, ids)


def test_light_traffic_is_not_delayed_by_batch_wait(pg, mock, worker):
    url, backend = pg.database(), mock("--latency", "50ms")
    add_model(url, "m", backend.url, batch_max=50, batch_wait="30 seconds")
    worker(url)
    wait_idle(url)
    for n in range(5):
        begin = time.monotonic()
        id = submit(url, f"prompt {n}")
        wait_for(lambda: task(url, id)[0] == "solved", 20, "the answer")
        assert time.monotonic() - begin < 5
    wait_for(lambda: sizes(backend) == [1] * 5, 20, "five calls")


def test_every_prompt_of_a_batch_has_its_own_permit_and_none_is_wasted(pg, mock, worker):
    url, backend = pg.database(), mock("--latency", "100ms")
    add_model(url, "m", backend.url, batch_max=50, rpm=1200, burst=20)
    ids = submit_many(url, [f"prompt {i}" for i in range(60)])
    worker(url)
    assert wait_ended(url, 60) == {"solved": 60}
    assert_each_ended_once(url, ids)
    arrivals = backend.arrivals()
    within = lambda first: sum(len(a["tasks"]) for a in arrivals
        if 0 <= a["t_ns"] - first["t_ns"] < 10**9)
    # 20 at once, and one for every 50 ms: 20 a second. A late grant is within the 250 ms that
    # sluice allows.
    assert max(within(first) for first in arrivals) <= 20 + 20 + 5
    assert len(arrivals) < 60
