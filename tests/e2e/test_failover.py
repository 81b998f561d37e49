"""Another server takes over: a standby is promoted, a backup is restored. Whatever was acknowledged
is solved, without an administrator."""
import hashlib
import threading
import time
from contextlib import closing

import psycopg2
import pytest
from conftest import connect, http, query, wait_for
from queue_tools import add_model, submit, submit_many, wait_ended
from standby_tools import Pair, servers  # noqa: F401 (a fixture)

pytestmark = pytest.mark.plain_build_only

# Measured: 0.4 s with a restartpoint, 0.5 s without; beyond this it is stuck.
FIRST_RESULT_WITHIN_S = 20


class Submitter:
    """Submits one task after the other, wherever the URL leads; remembers what was acknowledged."""

    def __init__(self, url):
        self.url, self.acknowledged, self.stopping = url, [], False
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        connection = None
        while not self.stopping:
            try:
                connection = connection or self.connect()
                with connection.cursor() as cursor:
                    cursor.execute("select sluice.submit('prompt', 'm', tenant => 't')")
                    self.acknowledged.append(cursor.fetchone()[0])
            except psycopg2.Error:
                if connection and connection.closed:
                    connection = None
                time.sleep(0.01)

    def connect(self):
        connection = psycopg2.connect(self.url)
        connection.autocommit = True
        return connection

    def stop(self):
        self.stopping = True
        self.thread.join()
        return self.acknowledged


def configure(url, backend):
    """One of each kind of unlogged sequence."""
    add_model(url, "m", backend, rpm=60000, tpm=10_000_000,
        max_in_flight=500, max_unfinished=100_000)
    query(url, "insert into sluice.tenants (name, rpm, tpm, max_unfinished) "
        "values ('t', 60000, 10000000, 100000)")


def unlogged_sequences(url):
    return [row[0] for row in query(url,
            "select relname from pg_class where relnamespace = 'sluice'::regnamespace "
            "and relpersistence = 'u' and relkind = 'S' order by 1")]


def is_damaged(url, sequence):
    """Whether it cannot be read."""
    try:
        query(url, "select pg_sequence_last_value(%s)", [sequence])
    except psycopg2.errors.InternalError_ as error:
        return "bad magic number in sequence" in str(error)  # or it is made anew just now
    return False


def damaged_sequences(url):
    return [name for name in unlogged_sequences(url) if is_damaged(url, f"sluice.{name}")]


def given_witness(url):
    """A sequence that Sluice does not know: what becomes of it says whether this PostgreSQL damages
    them."""
    query(url, "create unlogged sequence public.witness")


def assert_damaged_as_the_witness(url, names):
    damaged = damaged_sequences(url)
    if is_damaged(url, "public.witness"):
        assert names <= set(damaged)
    else:   # since 17.11
        assert damaged == []


def assert_all_solved(url, ids):
    wait_for(lambda: query(url, "select count(*) from sluice.result where task_id = any(%s)", [ids])
        == [(len(ids),)], 60, "the acknowledged tasks")
    assert query(url, "select distinct status from sluice.result where task_id = any(%s)",
        [ids]) == [("solved",)]


@pytest.mark.parametrize("synchronous_commit", ["on", "remote_apply"])
def test_a_standby_without_a_restartpoint_takes_over(servers, sluice, mock,
        worker, synchronous_commit):
    pair, backend = Pair(servers), mock("--latency", "5ms-50ms")
    sluice("migrate", "--database-url", pair.url)
    configure(pair.url, backend.url)
    given_witness(pair.url)
    pair.replicate_synchronously(synchronous_commit)
    running = worker(pair.url, "--slots", "50")
    submitter = Submitter(pair.url)
    wait_for(lambda: len(backend.arrivals()) >= 300, 30, "a running start")
    running.freeze()  # so that the test can look before it mends
    pair.fail_over()
    assert_damaged_as_the_witness(pair.url, {"waits_1", "bucket_1", "tenant_bucket_1", "load_all"})
    before = len(backend.arrivals())
    running.resume()
    resumed = time.monotonic()
    wait_for(lambda: len(backend.arrivals()) > before, 60, "the first call after the promotion")
    assert time.monotonic() - resumed < FIRST_RESULT_WITHIN_S
    accepted = len(submitter.acknowledged)
    wait_for(lambda: len(submitter.acknowledged) > accepted, 20, "submits after the promotion")
    ids = submitter.stop()
    assert_all_solved(pair.url, ids)
    assert damaged_sequences(pair.url) == []
    assert running.running() and running.stderr().count("registered as worker") == 1


@pytest.mark.parametrize("restartpoint", [True, False])
def test_the_first_result_comes_soon_after_the_promotion(servers, sluice,
        mock, worker, restartpoint):
    pair, backend = Pair(servers), mock("--latency", "5ms-50ms")
    sluice("migrate", "--database-url", pair.url)
    configure(pair.url, backend.url)
    pair.replicate_synchronously("on")
    worker(pair.url, "--slots", "50")
    submitter = Submitter(pair.url)
    wait_for(lambda: len(backend.arrivals()) >= 100, 30, "a running start")
    if restartpoint:
        pair.restartpoint()
    before = len(backend.arrivals())
    wait_for(lambda: len(backend.arrivals()) > before + 100, 30, "work after it")
    promoted = pair.fail_over()
    finished = query(pair.url, "select max(finished_at) from sluice.result")[0][0]
    wait_for(lambda: query(pair.url,
        "select true from sluice.result where finished_at > %s limit 1", [finished]),
        60, "a result")
    took_s = time.monotonic() - promoted
    print(f"first result {took_s:.2f} s after the promotion")
    assert took_s < 5
    assert_all_solved(pair.url, submitter.stop())


def test_a_backup_is_restored_to_a_point_in_time(servers, sluice, mock, worker, tmp_path):
    backend = mock("--latency", "5ms-50ms")
    archiving = servers("archive_mode=on", "archive_command=cp %p ../archive/%f",
        "archive_timeout=60")
    (archiving.directory / "archive").mkdir()
    (archiving.directory / "archive").chmod(0o777)
    archiving.start()
    restored = servers(f"restore_command=cp {archiving.directory}/archive/%f %p",
        "recovery_target_name=here", "recovery_target_action=promote")
    restored.copy(archiving, "--wal-method=fetch")
    (restored.directory / "data" / "recovery.signal").touch()
    sluice("migrate", "--database-url", archiving.url())
    configure(archiving.url(), backend.url)
    given_witness(archiving.url())
    first = worker(archiving.url(), "--slots", "50")
    solved = submit_many(archiving.url(), [f"prompt {i}" for i in range(200)])
    wait_ended(archiving.url(), 200)
    assert first.stop() == 0
    waiting = submit_many(archiving.url(), [f"prompt {i}" for i in range(50)])
    query(archiving.url(), "select pg_create_restore_point('here')")
    lost = submit(archiving.url(), "after the point")
    segment = query(archiving.url(), "select pg_walfile_name(pg_switch_wal())")[0][0]
    wait_for(lambda: (archiving.directory / "archive" / segment).exists(), 20, "the archive")
    archiving.stop()
    restored.start()
    wait_for(lambda: query(restored.url(), "select not pg_is_in_recovery()") == [(True,)], 20,
        "the end of the recovery")
    assert_damaged_as_the_witness(restored.url(), {"bucket_1"})
    worker(restored.url(), "--slots", "50")
    assert_all_solved(restored.url(), solved + waiting)
    assert query(restored.url(),
        "select count(*) from sluice.task where id = %s and prompt like 'after%%'",
        [lost]) == [(0,)]
    assert damaged_sequences(restored.url()) == []


def test_no_answer_of_a_task_whose_submit_was_lost_becomes_anothers(servers, sluice, mock, worker):
    pair, backend = Pair(servers), mock()
    sluice("migrate", "--database-url", pair.url)
    add_model(pair.url, "m", backend.url)
    running = worker(pair.url)
    first = submit(pair.url, "warm", tenant="a")
    wait_ended(pair.url, 1)
    pair.restartpoint()
    pair.standby.kill()
    lost = [submit(pair.url, f"mock:delay=12s lost {i}", tenant="a") for i in range(5)]
    wait_for(lambda: len(backend.arrivals()) == 6, what="the calls of what will be lost")
    pair.primary.kill()
    pair.standby.start()
    with closing(connect(pair.standby.url())) as session, session.cursor() as cursor:
        cursor.execute("select pg_promote(wait => true)")
        # As a client of SQL would, before a worker or server has come; this one outlived it.
        cursor.execute("select sluice.submit('mock:delay=15s new 0', 'm', tenant => 'b')")
        new = [cursor.fetchone()[0]]
    new += [submit(pair.url, f"mock:delay=15s new {i}", tenant="b") for i in range(1, 5)]
    assert not set(new) & set(range(first, max(lost) + 1000))
    wait_for(lambda: query(pair.url, "select count(*) from sluice.tasks where status = 'solved' "
        "and id = any(%s)", [new]) == [(5,)], 60, "the new tasks")
    assert [answer for (answer,) in query(pair.url,
        "select answer from sluice.tasks where id = any(%s) order by id", [new])] == [
        "m: " + hashlib.sha256(f"mock:delay=15s new {i}".encode()).hexdigest() for i in range(5)]
    assert running.running()


class Damaging:
    """A server that stands for a promoted one: its unlogged sequences lose what a promotion
    loses."""

    def __init__(self, server):
        self.server, self.url = server, server.url()

    def damage(self):
        """Leaves a page of zeros where each sequence was. Returns how many."""
        files = query(self.url, """
            select pg_relation_filepath(c.oid) from pg_class c
            where relnamespace = 'sluice'::regnamespace and relpersistence = 'u'
              and relkind = 'S'""")
        self.server.stop()
        for (file,) in files:
            (self.server.directory / "data" / file).write_bytes(bytes(8192))
        self.server.start()
        assert len(damaged_sequences(self.url)) == len(files)
        return len(files)


@pytest.fixture
def damaging(servers, sluice, mock):
    server = servers()
    server.start()
    sluice("migrate", "--database-url", server.url())
    configure(server.url(), mock().url)
    return Damaging(server)


def test_each_way_to_meet_the_damage_mends_it(damaging, sluice, server, worker):
    url = damaging.url
    served = server(url)
    served.freeze()
    sequences = damaging.damage()
    served.resume()
    wait_for(lambda: damaged_sequences(url) == [], 20, "the server to mend on reconnect")
    assert http(served.port, "POST", "/v1/tasks",
        {"prompt": "p", "model": "m"}).status in (200, 201, 202)
    assert served.stop() == 0

    damaging.damage()
    assert query(url, "select sluice.tick() ->> 'mended'") == [(str(sequences),)]
    assert damaged_sequences(url) == [] and query(url,
        "select sluice.tick() ->> 'mended'") == [(None,)]

    sequences = damaging.damage()
    for role, mended in ("sluice_worker", sequences), ("sluice_admin", 0):
        found = query(url, f"set role {role}; select mended, locked from sluice.mend_sequences()")
        assert found == [(mended, 0)]

    damaging.damage()
    assert (f"{sequences} damaged ones were made anew"
        in sluice("doctor", "--mechanisms", "--database-url", url).stdout)
    assert damaged_sequences(url) == []

    damaging.damage()
    assert sluice("migrate", "--database-url", url).returncode == 0
    assert damaged_sequences(url) == []

    damaging.damage()
    assert sluice("submit", "--prompt", "p", "--model", "m", "--database-url", url).returncode == 0
    assert damaged_sequences(url) == []

    damaging.damage()
    workers = [worker(url) for _ in range(3)]
    wait_ended(url, 2)
    assert damaged_sequences(url) == []
    assert all(w.running() for w in workers)


def test_doctor_tells_what_could_not_be_mended(damaging, sluice):
    damaging.damage()
    with closing(connect(damaging.url)) as holder, holder.cursor() as cursor:
        cursor.execute("begin; savepoint before")
        with pytest.raises(psycopg2.errors.InternalError_):
            cursor.execute("select pg_sequence_last_value('sluice.bucket_1')")
        cursor.execute("rollback to savepoint before")  # its lock stays
        ended = sluice("doctor", "--database-url", damaging.url)
        assert (ended.returncode == 1
            and "sequences: damaged sequences could not be made anew" in ended.stdout)
        cursor.execute("rollback")
    assert "sequences:" not in sluice("doctor", "--database-url", damaging.url).stdout
    assert damaged_sequences(damaging.url) == []
