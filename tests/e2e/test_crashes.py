"""Killed, frozen, cut off: every accepted task still ends with exactly one result."""
import os
import signal
import socket
import struct
import time
import urllib.parse
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import psycopg2
import pytest
from conftest import Monitor, connect, query, wait_for
from queue_tools import (add_model, assert_each_ended_once, assert_no_fence_twice,
    set_heartbeat_timeout, statuses, submit, submit_many, wait_ended)


def test_a_worker_killed_in_mid_call_loses_nothing(pg, mock, worker):
    url, backend = pg.database(), mock("--latency", "20ms-60ms")
    set_heartbeat_timeout(url, "1 second")
    add_model(url, "m", backend.url)
    hanging = submit_many(url, [f"mock:delay=20s slow {i}" for i in range(5)])
    victim = worker(url)
    wait_for(lambda: len(backend.arrivals()) == 5, 20, "the calls")
    victim.kill()
    query(url, "update sluice.models set timeout = '10 minutes'")
    ids = hanging + submit_many(url, [f"quick {i}" for i in range(50)])
    # Calls that hung in the killed worker are answered at once on the second try.
    query(url, "update sluice.task set prompt = 'mock:delay=0s ' || id "
        "where prompt like 'mock:delay=20s%'")
    worker(url)
    assert wait_ended(url, len(ids)) == {"solved": len(ids)}
    assert_each_ended_once(url, ids)
    assert_no_fence_twice(backend)
    lost = query(url, "select task_id, billed from sluice.attempts "
        "where kind = 'lost' order by task_id")
    assert lost == [(task, None) for task in hanging]
    assert query(url, "select distinct attempts from sluice.tasks where id = any(%s)",
        [hanging]) == [(2,)]


def test_a_task_that_kills_its_workers_ends_among_the_dead_letters(pg, mock, worker):
    url, backend = pg.database(), mock()
    set_heartbeat_timeout(url, "1 second")
    add_model(url, "m", backend.url, max_attempts=2)
    task = submit(url, "mock:delay=60s")
    for calls in (1, 2):
        victim = worker(url)
        wait_for(lambda: len(backend.arrivals()) == calls, 20, f"call {calls}")
        victim.kill()
    survivor = worker(url)
    assert wait_ended(url, 1) == {"failed": 1}
    assert query(url, "select id, error_code, attempts from sluice.dead_letters") == [(task,
        "worker_lost", 2)]
    assert survivor.running()


def test_a_frozen_worker_comes_back_too_late_and_its_result_is_only_kept_for_audit(pg,
        mock, worker):
    url, backend = pg.database(), mock()
    set_heartbeat_timeout(url, "1 second")
    add_model(url, "m", backend.url)
    task = submit(url, "mock:delay=3s")  # time to freeze it in
    frozen = worker(url)
    wait_for(lambda: len(backend.arrivals()) == 1, 20, "the call")
    frozen.freeze()
    worker(url)
    assert wait_ended(url, 1) == {"solved": 1}
    result = query(url, "select fence, worker, answer, finished_at from sluice.result")
    assert result[0][0] == 2
    frozen.resume()
    late = wait_for(lambda: query(url, "select task_id, fence, answer is not null "
            "from sluice.attempts where kind = 'late'"), 20, "the audit row")
    assert late == [(task, 1, True)]
    assert query(url, "select fence, worker, answer, finished_at from sluice.result") == result
    assert_each_ended_once(url, [task])
    # It knows that it was declared dead, and serves again under a new id.
    assert "registered" in frozen.stderr()
    wait_for(lambda: frozen.stderr().count("registered as worker") == 2, 20, "a new registration")
    again = submit(url, "after the thaw")
    wait_ended(url, 2)
    assert_each_ended_once(url, [task, again])


def test_a_database_restart_in_mid_run_loses_nothing_and_no_live_worker_is_reaped(pg, mock, worker):
    url, backend = pg.database(), mock("--latency", "50ms-400ms")
    set_heartbeat_timeout(url, "2 seconds")
    add_model(url, "m", backend.url)
    query(url, "checkpoint")  # recovery need not replay the databases of other tests
    ids = submit_many(url, [f"prompt {i}" for i in range(600)])
    workers = [worker(url, "--slots", "40", "--db-connections", n) for n in ("2", "3")]
    wait_for(lambda: len(backend.arrivals()) >= 100, 20, "a running start")
    try:
        pg.stop("immediate")
        # Longer than the heartbeat time-out, so that every heartbeat looks lapsed afterwards.
        stopped = len(backend.arrivals())
        connection_refused(url)
        wait_for(lambda: all("lost the database" in w.stderr() for w in workers), 20,
            "both to notice")
    finally:
        pg.start()
    assert wait_ended(url, len(ids), 90) == {"solved": len(ids)}
    assert_each_ended_once(url, ids)
    assert len(backend.arrivals()) >= stopped
    assert query(url, "select count(*) from sluice.worker where dead_at is not null") == [(0,)]
    assert query(url, "select count(*) from sluice.attempts where kind = 'lost'") == [(0,)]
    for w in workers:
        assert w.running()
        assert w.stderr().count("registered as worker") == 1


def test_each_session_of_a_worker_may_break_at_any_time(pg, mock, worker):
    url, backend = pg.database(), mock("--latency", "20ms-100ms")
    add_model(url, "m", backend.url)
    ids = submit_many(url, [f"prompt {i}" for i in range(2000)])
    running = worker(url, "--slots", "20", "--db-connections", "3")
    sessions = ("from pg_stat_activity where application_name = 'sluice' and datname "
        "= current_database()")
    for broken in range(12):  # each of the three, and four times over
        wait_for(lambda: query(url, f"select count(*) {sessions}") == [(3,)], 20, "three sessions")
        ids += submit_many(url, [f"more {i}" for i in range(20)])  # work for as long as this takes
        seen = len(backend.arrivals())
        wait_for(lambda: len(backend.arrivals()) > seen, 20, "work")
        query(url, f"select pg_terminate_backend(pid) from (select pid {sessions} "
            f"order by backend_start, pid offset {broken % 3} limit 1) s")
    assert wait_ended(url, len(ids), 90) == {"solved": len(ids)}
    assert_each_ended_once(url, ids)
    assert query(url, "select kind, count(*) from sluice.attempts group by 1") == []
    # an answer that was being stored is not asked for again
    assert len(backend.arrivals()) == len(ids)
    assert running.running() and running.stderr().count("registered as worker") == 1
    assert "too late" not in running.stderr()


@pytest.mark.parametrize("kind", ["solved", "failed"])
def test_an_answer_holds_that_waited_for_its_lease_while_an_extra_call_was_noted(pg, kind):
    url = pg.database()
    add_model(url, "m", "http://127.0.0.1:1")
    task = submit(url, "question")
    [(worker, fence)] = query(url,
        "select w, fence from sluice.register_worker('w', 1) w, sluice.claim(w)")
    hedging = connect(url)
    hedging.autocommit = False
    with hedging.cursor() as cursor:
        # as hedge() does
        cursor.execute("update sluice.lease set calls = calls + 1 where task_id = %s", [task])
    with ThreadPoolExecutor(1) as other:
        completion = other.submit(query, url,
            "select applied from sluice.complete(%s, array[row(%s, %s, %s, 'yes', null, null, "
            "null, 200, null, null, null, true)::sluice.outcome])", [worker, task, fence, kind])
        wait_for(lambda: query(url, "select 1 from pg_stat_activity "
                "where datname = current_database() and wait_event_type = 'Lock'"))
        hedging.commit()
        assert completion.result(20) == [(True,)]
    hedging.close()
    assert statuses(url) == {kind: 1}
    assert query(url, "select count(*), (select sluice.in_flight(id) "
        "from sluice.models) from sluice.lease") == [(0, 0)]


def test_a_ceiling_is_kept_at_work_while_outcomes_have_a_session_of_their_own(pg, mock, worker):
    url, backend = pg.database(), mock("--latency", "1ms")
    add_model(url, "m", backend.url, max_in_flight=1)
    ids = submit_many(url, [f"prompt {i}" for i in range(100)])
    worker(url, "--db-connections", "3")
    assert wait_ended(url, len(ids), 60) == {"solved": len(ids)}
    pauses = query(url, "select max(pause) from (select started_at - lag(finished_at) over "
        "(order by started_at) as pause from sluice.result) p")
    assert pauses[0][0].total_seconds() < 2, "a worker that found its model full slept"


def connection_refused(url):
    try:
        connect(url).close()
    except Exception:  # noqa: BLE001 - whatever the driver calls it
        return
    raise AssertionError("the database is still there")


def raw_session(url):
    """A connection below libpq, so that a test decides when it reads. Trust authentication on a
    Unix socket."""
    parsed = urllib.parse.urlparse(url)
    settings = dict(urllib.parse.parse_qsl(parsed.query))
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(20)
    client.connect(settings["host"] + "/.s.PGSQL.5432")
    fields = f"user\0{settings['user']}\0database\0{parsed.path[1:]}\0\0".encode()
    client.sendall(struct.pack("!ii", len(fields) + 8, 196608) + fields)
    read_until_ready(client)
    return client


def read_until_ready(client):
    """Reads messages up to ReadyForQuery."""
    def exactly(count):
        data = b""
        while len(data) < count:
            part = client.recv(count - len(data))
            assert part, "the server closed the connection"
            data += part
        return data
    while True:
        kind, length = struct.unpack("!ci", exactly(5))
        body = exactly(length - 4)
        assert kind != b"E", body
        if kind == b"Z":
            return


def test_a_worker_frozen_while_reading_its_claim_does_not_hold_the_model(pg, mock, worker):
    url, backend = pg.database(), mock()
    set_heartbeat_timeout(url, "1 second")
    add_model(url, "m", backend.url)
    ids = submit_many(url, [f"{i} " + "x" * 20_000 for i in range(1200)])
    frozen = query(url, "select sluice.register_worker('frozen', 1000)")[0][0]
    with raw_session(url) as client:
        statement = f"select * from sluice.claim({frozen}, null, 1000)".encode() + b"\0"
        client.sendall(b"Q" + struct.pack("!i", len(statement) + 4) + statement)
        # Never reads. Its claim commits all the same, and the others take what is left.
        wait_for(lambda: query(url, "select count(*) from sluice.lease") == [(1000,)], 20,
            "the frozen claim")
        worker(url)
        wait_for(lambda: query(url, "select count(*) from sluice.result")[0][0] >= 200, 30,
            "the other 200")
        assert wait_ended(url, len(ids), 120) == {"solved": len(ids)}
    assert_each_ended_once(url, ids)


def test_sigterm_drains_and_a_second_one_hands_back_at_once(pg, mock, worker):
    url, backend = pg.database(), mock()
    add_model(url, "m", backend.url)
    short = submit(url, "mock:delay=1s")
    draining = worker(url)
    wait_for(lambda: len(backend.arrivals()) == 1, 20, "the call")
    assert draining.stop() == 0
    assert query(url, "select task_id, status from sluice.result") == [(short, "solved")]

    long = submit(url, "mock:delay=60s")
    forced = worker(url)
    wait_for(lambda: len(backend.arrivals()) == 2, 20, "the second call")
    forced.signal(signal.SIGTERM)
    wait_for(lambda: "draining" in forced.stderr(), 20, "the drain")
    forced.signal(signal.SIGTERM)
    assert forced.wait(15) == 143
    assert query(url, "select status, attempts from sluice.tasks where id = %s",
        [long]) == [("queued", 0)]
    assert query(url, "select count(*) from sluice.workers where alive") == [(0,)]


def test_a_closed_terminal_drains(pg, mock, worker):
    url, backend = pg.database(), mock()
    add_model(url, "m", backend.url)
    task = submit(url, "mock:delay=1s")
    left = worker(url)
    wait_for(lambda: len(backend.arrivals()) == 1, 20, "the call")
    left.signal(signal.SIGHUP)
    assert left.wait(20) == 0
    assert query(url, "select task_id, status from sluice.result") == [(task, "solved")]


def test_a_drain_that_takes_too_long_hands_back_uncharged(pg, mock, worker):
    url, backend = pg.database(), mock()
    add_model(url, "m", backend.url)
    task = submit(url, "mock:delay=60s")
    draining = worker(url, "--drain-timeout", "500ms")
    wait_for(lambda: len(backend.arrivals()) == 1, 20, "the call")
    assert draining.stop() == 0
    assert query(url, "select status, attempts from sluice.tasks where id = %s",
        [task]) == [("queued", 0)]


def test_a_second_sigterm_ends_a_worker_whose_database_stands_still(pg, worker):
    url = pg.database()
    waiting = worker(url)
    wait_for(lambda: "registered" in waiting.stderr(), 20, "the worker")
    with closing(psycopg2.connect(url)) as session, session.cursor() as cursor:
        cursor.execute("lock table sluice.worker")
        wait_for(lambda: query(url, "select pid from pg_stat_activity "
            "where wait_event_type = 'Lock' and query like '%heartbeat(%'"), 20, "a heartbeat")
        cursor.execute("select pid from pg_stat_activity where datname = current_database() "
            "and pid <> pg_backend_pid()")
        sessions = [row[0] for row in cursor.fetchall()]
        for pid in list(sessions):
            try:
                os.kill(pid, signal.SIGSTOP)
            except ProcessLookupError:  # it has ended by itself
                sessions.remove(pid)
    try:
        waiting.signal(signal.SIGTERM)
        wait_for(lambda: "draining" in waiting.stderr(), 20, "the drain")
        waiting.signal(signal.SIGTERM)
        assert waiting.wait(30) == 143
    finally:
        for pid in sessions:
            os.kill(pid, signal.SIGCONT)


def test_a_submit_beside_a_long_count_after_a_crash_says_what_it_waited_for(pg):
    url = pg.database()
    add_model(url, "m", "http://127.0.0.1:1")
    assert query(url, "select look_from > 0 from sluice.gate") == [(True,)], (
        "migrate has counted: the first submits need not")
    with closing(connect(url)) as counting:
        with counting.cursor() as cursor:
            cursor.execute("select setval('sluice.load_all', sluice.gauge_unknown())")  # as a crash
            cursor.execute("select sluice.refresh_gate(true)")
            cursor.execute("select pg_advisory_lock(sluice.lock_class('count'), "
                "'sluice.load_all'::regclass::oid::int)")
        with pytest.raises(psycopg2.errors.LockNotAvailable, match="counting the unfinished"):
            query(url, "select sluice.submit('p', 'm')")
    assert query(url, "select sluice.submit('p', 'm') > 0") == [(True,)]


def test_what_the_database_refuses_for_a_while_is_stored_and_not_called_again(pg, mock, started):
    """A fault of its disk, or a right that was taken, says nothing of the results."""
    url, backend = pg.database(), mock()
    add_model(url, "m", backend.url)
    query(url, """
        create table public.fault (code text);
        create function public.refuse() returns trigger language plpgsql as $$ begin
            raise exception 'a fault' using errcode = (select code from public.fault);
        end $$;
        create trigger refuse before insert on sluice.result
            for each row execute function public.refuse();
        grant select on public.fault to public""")
    worker = started("worker", "--database-url", url, "--http", "127.0.0.1:0")
    monitor = Monitor(worker)
    wait_for(lambda: monitor.ready()[0] == 200)
    ids = []
    for code in ["58030", "42501", "XX000"]:
        query(url, "delete from public.fault; insert into public.fault values (%s)", [code])
        query(url, "alter table sluice.result enable trigger refuse")
        ids += submit_many(url, [f"{code} {i}" for i in range(10)])
        begun = time.monotonic()
        # Longer than any of them was tried before it was given up.
        wait_for(lambda: len(backend.arrivals()) == len(ids)
            and time.monotonic() - begun > 4, what="the calls")
        assert monitor.ready()[1]["reason"] == "the database refuses to store results"
        query(url, "alter table sluice.result disable trigger refuse")
        assert wait_ended(url, len(ids)) == {"solved": len(ids)}
    wait_for(lambda: monitor.ready()[0] == 200)
    assert_each_ended_once(url, ids)
    assert_no_fence_twice(backend)
    assert len(backend.arrivals()) == len(ids)
    assert worker.stderr().count("recording results failed") <= 6


@pytest.mark.parametrize("setting", [
    "array_nulls = off", "default_transaction_isolation = 'repeatable read'"])
def test_a_databases_own_settings_keep_no_answer_back(pg, mock, worker, setting):
    url, backend = pg.database(), mock()
    add_model(url, "m", backend.url, max_output_tokens=10)
    query(url, "select sluice.set_price('m', '{\"input\": 1, \"output\": 1}')")
    query(url, "insert into sluice.budgets (name, scope, period, limit_nanos, is_hard) "
        "values ('all', 'system', 'day', 1000000000, true)")
    query(url, f"alter database {url.split('/')[3].split('?')[0]} set {setting}")
    worker(url)
    ids = submit_many(url, [f"question {i}" for i in range(20)])
    assert wait_ended(url, len(ids)) == {"solved": len(ids)}
    assert_no_fence_twice(backend)
