"""What operators do while tasks run: restarting the pooler, draining a full worker; and urgent work
beside much other."""
import json
import os
import re
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from conftest import Monitor, connect, query, wait_for
from queue_tools import (add_model, assert_each_ended_once, assert_no_fence_twice, statuses,
    submit_many, wait_ended)

IN_FLIGHT = 1000
# Of 99 of 100 urgent tasks. They pass through admission, which comes once a quarter of the queue
# was taken: 0.35 s on a busy machine of two cores. The 10,000 cold ones take 40 s.
PICKUP_MS_MAX = 5000


@pytest.mark.parametrize("direct", [True, False])
def test_a_restart_of_the_pooler_in_mid_run_loses_nothing(pooler, mock, worker, direct):
    url, backend = pooler.direct_url, mock("--latency", "20ms-100ms")
    add_model(url, "m", backend.url)
    ids = submit_many(url, [f"prompt {i}" for i in range(900)])
    process = worker(pooler.url, "--slots", "20", *(["--direct-url", url] if direct else []))
    for ended in (200, 500):
        wait_for(lambda: statuses(url).get("solved", 0) >= ended, 30, f"{ended} results")
        losses = process.stderr().count("lost the database")
        pooler.kill()
        wait_for(lambda: process.stderr().count("lost the database") > losses, 20, "the loss")
        pooler.start()
    assert wait_ended(url, len(ids)) == {"solved": len(ids)}
    assert_each_ended_once(url, ids)
    assert_no_fence_twice(backend)
    assert process.stop() == 0


@pytest.fixture
def full_worker(pg, mock, worker):
    """A function that starts a worker and waits until it has IN_FLIGHT calls under way: (url, ids,
    worker)."""
    def start(latency, *flags):
        url, backend = pg.database(), mock("--latency", latency)
        add_model(url, "m", backend.url)
        ids = submit_many(url, [f"prompt {i}" for i in range(IN_FLIGHT + 200)])
        process = worker(url, "--slots", IN_FLIGHT, *flags)
        wait_for(lambda: len(backend.arrivals()) >= IN_FLIGHT, 30, "the calls")
        return url, ids, process
    return start


def test_a_drain_with_1000_in_flight_finishes_all_and_claims_no_other(full_worker):
    url, ids, process = full_worker("100%:6s")
    assert process.stop() == 0
    assert statuses(url) == {"solved": IN_FLIGHT}
    left = query(url, "select count(*), sum(attempts) from sluice.tasks "
        "where status in ('queued', 'unsolved')")
    assert left == [(len(ids) - IN_FLIGHT, 0)]


def test_a_drain_time_out_with_1000_in_flight_hands_all_back_uncharged(full_worker):
    url, ids, process = full_worker("100%:60s", "--drain-timeout", "100ms")
    asked = time.monotonic()
    assert process.stop() == 0
    assert time.monotonic() - asked < 20
    assert statuses(url) == {}
    assert query(url, "select status in ('queued', 'unsolved'), sum(attempts), count(*) "
        "from sluice.tasks group by 1") == [(True, 0, len(ids))]


@pytest.mark.plain_build_only
def test_hot_tasks_among_10000_cold_ones_start_soon(pg, mock, worker):
    url, backend = pg.database(), mock("--latency", "200ms-600ms")
    add_model(url, "m", backend.url)
    submit_many(url, [f"cold {i}" for i in range(10_000)])
    worker(url, "--slots", "100")
    wait_for(lambda: len(backend.arrivals()) >= 200, 20, "the first calls")
    asked_ns = {}
    connection = connect(url)
    with connection.cursor() as cursor:
        for number in range(100):
            begun_ns = time.monotonic_ns()
            cursor.execute("select sluice.submit(%s, 'm', priority => 10)", [f"hot {number}"])
            asked_ns[cursor.fetchone()[0]] = begun_ns
            time.sleep(0.03)
    connection.close()

    def arrived_ns():
        at = {int(task.split(":")[0]): arrival["t_ns"] for arrival in backend.arrivals()
            for task in arrival["tasks"]}
        return {task: at[task] for task in asked_ns if task in at}
    wait_for(lambda: len(arrived_ns()) == len(asked_ns), 20, "the hot ones")
    pickup_ms = sorted((at - asked_ns[task]) / 1e6 for task, at in arrived_ns().items())
    assert pickup_ms[98] < PICKUP_MS_MAX, pickup_ms


def test_models_that_hang_leave_slots_to_the_others(pg, mock, worker):
    """The attack: two or three models whose backend never answers had all slots, and others no call
    before the time-out."""
    url = pg.database()
    hanging, good = mock("--latency", "300s"), mock("--latency", "1ms")
    for name in "first", "second", "third":
        add_model(url, name, hanging.url)
        submit_many(url, [f"{name} {i}" for i in range(100)], model=name)
    add_model(url, "good", good.url)
    worker(url, "--slots", "80")
    wait_for(lambda: query(url, "select count(*) >= 70 from sluice.lease")[0][0], 30, "their calls")
    ids = submit_many(url, [f"good {i}" for i in range(5)], model="good")
    wait_for(lambda: query(url, "select count(*) from sluice.tasks where id = any (%s) "
        "and status = 'solved'", [ids]) == [(5,)], 20, "the others")


def test_a_worker_has_one_thread(pg, mock, worker):
    """The reason why there is no run under ThreadSanitizer. (A backend's host name that is not in a
    cache is looked up in a thread of libcurl's, which shares nothing with us.)"""
    url, backend = pg.database(), mock("--latency", "20ms-100ms")
    add_model(url, "m", backend.url)
    ids = submit_many(url, [f"prompt {i}" for i in range(300)])
    process = worker(url, "--http", "127.0.0.1:0")
    monitor = Monitor(process)
    threads = set()
    while len(statuses(url)) == 0 or sum(statuses(url).values()) < len(ids):
        monitor.get("/metrics")
        threads.add(len(os.listdir(f"/proc/{process.pid}/task")))
    assert threads == {1}


def test_a_worker_counts_its_slots_waits_refusals_and_errors(pg, mock, worker):
    url, backend = pg.database(), mock("--latency", "20ms-40ms")
    add_model(url, "m", backend.url, max_attempts=1)
    submit_many(url, ["mock:status=400"] * 2 + [f"prompt {i}" for i in range(100)])
    monitor = Monitor(worker(url, "--http", "127.0.0.1:0", "--slots", "4"))
    assert wait_ended(url, 102) == {"failed": 2, "solved": 100}

    def figures():
        return dict(re.findall(r"^(sluice_[^ ]+) ([0-9.e+-]+)$", monitor.get("/metrics")[1], re.M))
    wait_for(lambda: figures()['sluice_worker_slots{state="free"}'] == "4", what="rest")
    found = figures()
    assert found['sluice_errors_total{error_code="http_400",model="m"}'] == "2"
    assert found["sluice_completion_backlog"] == "0"

    def refused():
        query(url, "select sluice.notify_ready(id) from sluice.models")  # for nothing
        return float(figures()["sluice_claim_refusals_total"]) > 0
    wait_for(refused, what="a claim that brings nothing")
    # Four slots for 102 tasks: it waited for a free one nearly all the time.
    assert float(found["sluice_slot_wait_seconds_count"]) > 10
    assert 0.1 < float(found["sluice_slot_wait_seconds_sum"]) < 60


def test_a_line_about_a_call_names_its_task_and_fence(pg, mock, worker):
    url, backend = pg.database(), mock()
    add_model(url, "m", backend.url)
    failing = submit_many(url, ["mock:status=400"])[0]
    in_json = worker(url, "--log-format", "json")
    wait_ended(url, 1)
    assert in_json.stop() == 0
    lines = [json.loads(line) for line in in_json.stderr().splitlines()]
    about = [line for line in lines if "task" in line]
    assert [(line["task"], line["fence"], line["level"])
        for line in about] == [(failing, 1, "warning")]
    assert "failed http_400" in about[0]["message"]
    fine = submit_many(url, ["fine"])[0]
    in_text = worker(url, "--log-level", "debug")
    wait_ended(url, 2)
    assert in_text.stop() == 0
    assert f'task {fine} fence 1: model "m": solved after' in in_text.stderr()

@pytest.mark.plain_build_only
def test_models_come_and_go_beside_ticks_and_a_worker(pg, mock, worker):
    url, backend = pg.database(), mock()
    for i in range(3):
        add_model(url, f"m{i}", backend.url, max_in_flight=10)
    running = worker(url)
    ends_at = time.monotonic() + 6

    def each(statements):
        """Runs them again and again, and finds a deadlock 20 times as soon as PostgreSQL would."""
        with closing(connect(url)) as connection, connection.cursor() as cursor:
            cursor.execute("set deadlock_timeout = '50ms'")
            rounds = 0
            while time.monotonic() < ends_at:
                for statement in statements:
                    cursor.execute(statement.format(rounds))
                rounds += 1
            return rounds

    def comes_and_goes(name):
        return ["insert into sluice.models (name, url, max_in_flight, max_unfinished) "
            f"values ('{name}{{0}}', '{backend.url}', 5, 100)",
            f"insert into sluice.routes (route, model) values ('all', '{name}{{0}}')",
            f"delete from sluice.models where name = '{name}{{0}}'"]
    with ThreadPoolExecutor() as threads:
        done = [threads.submit(each, statements) for statements in (
            ["select sluice.tick()"], comes_and_goes("a"), comes_and_goes("b"),
            ["select sluice.submit('p', 'm0')"])]
        assert all(future.result() > 0 for future in done)
    assert running.running() and "40P01" not in running.stderr()
