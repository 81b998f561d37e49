"""Nobody polls, nobody stampedes, and no wake-up is missed."""
import os
import threading
import time

import pytest
from conftest import connect, query, wait_for
from queue_tools import (add_model, assert_each_ended_once, statuses, submit,
    submit_many, wait_ended, wait_idle)

pytestmark = pytest.mark.plain_build_only

# .ci/run plays fewer.
ROUNDS = int(os.environ.get("TEST_WAKEUP_ROUNDS", "10000"))
# Woken up, not found: an idle worker looks every 15 s and sweeps every 5.
WOKEN_S = 4


def test_three_idle_workers_and_one_submit_at_a_time(pg, mock, worker):
    """One claimer a submit, and no wake-up missed in all rounds."""
    url, backend = pg.database(), mock()
    add_model(url, "m", backend.url)
    query(url, f"alter database {url.split('/')[3].split('?')[0]} set track_functions = 'pl'")
    for _ in range(3):
        worker(url, "--slots", "10")
    wait_idle(url, 3)
    connection = connect(url)
    cursor = connection.cursor()
    slowest_s = 0.0
    for number in range(ROUNDS):
        cursor.execute("select sluice.submit(%s, 'm')", [f"round {number}"])
        task = cursor.fetchone()[0]
        begun = time.monotonic()
        while True:
            cursor.execute("select 1 from sluice.result where task_id = %s", [task])
            if cursor.fetchone():
                break
            assert time.monotonic() < begun + WOKEN_S, f"round {number}: nobody woke up"
        slowest_s = max(slowest_s, time.monotonic() - begun)
    assert wait_ended(url, ROUNDS) == {"solved": ROUNDS}
    cursor.execute("select sum(calls) from pg_stat_user_functions "
        "where schemaname = 'sluice' and funcname = 'claim'")
    claims = cursor.fetchone()[0] or 0
    # The claimer claims, and once more before it sleeps. A stampede of three would be at least six
    # a round.
    assert claims <= 4 * ROUNDS + 100, f"{claims} claims in {ROUNDS} rounds"
    print(f"slowest {slowest_s * 1000:.1f} ms, {claims / ROUNDS:.2f} claims a round")
    connection.close()


def test_a_submit_inside_a_long_transaction_is_started_on_its_commit(pg, mock, worker):
    url, backend = pg.database(), mock()
    add_model(url, "m", backend.url)
    # While the sleeper lock is free, so that nobody is notified: the submitter's transaction then
    # keeps it from the sleeper.
    long = connect(url)
    long.autocommit = False
    with long.cursor() as cursor:
        cursor.execute("select pg_advisory_xact_lock_shared(sluice.lock_class('sleeper'), "
            "id % 64) from sluice.models")
        cursor.execute("select sluice.submit('in a long transaction', 'm')")
        task = cursor.fetchone()[0]
        cursor.execute("select count(*) from pg_locks where pid = pg_backend_pid() "
            "and locktype = 'object' and classid = 'pg_database'::regclass")
        assert cursor.fetchone() == (0,), "it did notify"
    worker(url)
    other = submit(url, "another one meanwhile")
    wait_ended(url, 1)
    committed = time.monotonic()
    long.commit()
    long.close()
    wait_ended(url, 2)
    assert time.monotonic() - committed < WOKEN_S
    assert_each_ended_once(url, [task, other])


def lock_holder(url):
    """The process id of the server's side of the watching worker, and its worker's name."""
    rows = query(url, """
        select l.pid from pg_locks l where l.locktype = 'advisory'
          and l.classid = sluice.lock_class('watcher') and l.granted
          and l.database = (select oid from pg_database where datname = current_database())""")
    return rows[0][0] if rows else None


def test_when_the_lock_holder_is_killed_another_takes_over(pg, mock, worker):
    url, backend = pg.database(), mock()
    add_model(url, "m", backend.url)
    first = worker(url)
    wait_idle(url, 1)
    held = lock_holder(url)
    worker(url)
    wait_idle(url, 2)
    first.kill()
    task = submit(url, "who hears me?")
    begun = time.monotonic()
    wait_ended(url, 1)
    assert time.monotonic() - begun < WOKEN_S
    wait_for(lambda: lock_holder(url) not in (None, held), 20, "a new watcher")
    assert_each_ended_once(url, [task])


class Sleeper:
    """The listening session of a worker by hand."""

    def __init__(self, url, models):
        self.connection = connect(url)
        self.worker = self.ask("select sluice.register_worker('by hand', 1, %s)", models)[0]

    def ask(self, sql, *parameters):
        with self.connection.cursor() as cursor:
            cursor.execute(sql, parameters)
            return cursor.fetchone()

    def take_sleeper_locks(self):
        """The number of its sleeper locks and opening locks, and whether it may sleep."""
        return self.ask("select cardinality(locks), complete "
            "from sluice.take_sleeper_locks(%s, '{}')", self.worker)


def test_watchers_of_overlapping_models_sleep_through_each_others_locks(pg):
    url = pg.database()
    for name in "abc":
        add_model(url, name, "http://127.0.0.1:1")
    first, second = Sleeper(url, ["a", "b"]), Sleeper(url, ["b", "c"])
    assert first.take_sleeper_locks() == (4, True)
    assert second.take_sleeper_locks() == (2,
        True), "b's lock is held: whoever makes a task ready notifies both"
    second.ask("select sluice.drop_sleeper_locks(sluice.sleeper_locks_of(array_agg(id))) "
        "from sluice.models where name = 'c'")
    submitter = connect(url)
    submitter.autocommit = False
    with submitter.cursor() as cursor:
        cursor.execute("select sluice.submit('still open', 'c')")
    assert second.take_sleeper_locks() == (1,
        False), "c's lock is shared by a submitter who notifies nobody"
    submitter.rollback()
    assert second.take_sleeper_locks() == (2, True)
    for session in (first.connection, second.connection, submitter):
        session.close()


def test_a_task_for_one_of_two_overlapping_watchers_starts_at_once(pg, mock, worker):
    """Also when the other watcher, who holds the lock that both need, has no slot left."""
    url, backend = pg.database(), mock("--latency", "100%:30s")
    for name in "abc":
        add_model(url, name, backend.url)
    worker(url, "--models", "a,b", "--slots", "1")
    wait_idle(url)
    submit(url, "takes its only slot", "a")
    wait_for(lambda: query(url, "select 1 from sluice.lease"), what="the claim")
    worker(url, "--models", "b,c", "--slots", "1")
    wait_for(lambda: query(url, "select count(*) from sluice.workers where alive") == [(2,)],
        what="both")
    begun = time.monotonic()
    submit(url, "for the other", "b")
    wait_for(lambda: len(backend.arrivals()) == 2, what="the call")
    assert time.monotonic() - begun < WOKEN_S


def test_a_row_committed_later_than_the_lag_of_its_mark_is_found_by_the_sweep(pg, mock, worker):
    url, backend = pg.database(), mock()
    add_model(url, "m", backend.url)
    worker(url)
    wait_idle(url)
    # An old snapshot keeps the dead rows, and enough of them that the lane has a mark and keeps it
    # (2_storage/marks.sql, mark_pays).
    old = connect(url)
    old.autocommit = False
    old.set_session(isolation_level="REPEATABLE READ")
    old.cursor().execute("select from sluice.models")
    ids = submit_many(url, ["filler"] * 1500)
    wait_ended(url, len(ids))
    assert query(url, "select count(*) > 0 from sluice.mark where line > 0") == [(True,)]
    late = connect(url)
    late.autocommit = False
    with late.cursor() as cursor:
        cursor.execute("select sluice.submit('committed late', 'm')")
        late_id = cursor.fetchone()[0]
        ids.append(late_id)
    # Others go past it until the mark lies behind it.
    def mark_has_passed():
        ids.append(submit(url, "meanwhile"))
        wait_ended(url, len(ids) - 1)
        return query(url, """
            select (select m.ready_at from sluice.mark m where m.line > 0 order by m.n desc
            limit 1) > (select created_at + interval '500 milliseconds' from sluice.task
            where id = %s - 1)""", [late_id]) == [(True,)]
    begun = time.monotonic()
    wait_for(mark_has_passed, 20, "the mark to pass")
    late.commit()
    late.close()
    old.close()
    assert wait_ended(url, len(ids), 20) == {"solved": len(ids)}
    assert_each_ended_once(url, ids)


def test_a_configuration_change_is_followed_without_a_restart(pg, mock, worker):
    url, backends = pg.database(), (mock(), mock())
    add_model(url, "m", backends[0].url)
    worker(url)
    wait_idle(url)
    count = 0

    def seconds_to_follow(backend):
        nonlocal count
        before = len(backend.arrivals())
        query(url, "update sluice.models set url = %s", [backend.url])
        changed = time.monotonic()
        while len(backend.arrivals()) == before:
            count += 1
            submit(url, "whereto?")
            wait_ended(url, count)
        return time.monotonic() - changed
    # The middle one of five: the machine has other work, too.
    took_s = sorted(seconds_to_follow(backends[(number + 1) % 2]) for number in range(5))
    assert took_s[2] < 1.0, "the change was not in force within a second"
    query(url, "select sluice.pause('m')")
    query(url, "select sluice.resume('m')")
    submit(url, "after the pause")
    wait_ended(url, count + 1)


def test_a_model_that_may_take_of_a_route_starts_what_waits_there(pg, mock, worker):
    url, backend = pg.database(), mock()
    for model in ("unserved", "late", "new"):
        add_model(url, model, backend.url)
    query(url, "insert into sluice.routes (route, model, weight) "
        "values ('r', 'unserved', 1), ('r', 'late', 0)")
    worker(url, "--models", "late,new")
    for number, change in enumerate(
            ("update sluice.routes set weight = 1 where route = 'r' and model = 'late'",
                "update sluice.routes set model = 'unserved', route = 'x' "
                "where route = 'r' and model = 'late'; "
                "insert into sluice.routes (route, model) values ('r', 'new')")):
        if number == 1:
            query(url, "update sluice.routes set weight = 0 where route = 'r' and model = 'late'")
        submit(url, f"round {number}", "r")
        wait_idle(url, 1)
        begun = time.monotonic()
        query(url, change)
        wait_ended(url, number + 1)
        assert time.monotonic() - begun < WOKEN_S, "nobody woke up for it"


def assert_workers_follow(url, shut, opened, **arguments):
    """What waits while `shut` holds is called as soon as `opened` does."""
    def seconds_to_follow(number):
        query(url, shut)
        submit(url, f"round {number}", **arguments)
        # Each second the listening session asks for more; until then the worker has looked in vain.
        wait_for(lambda: query(url, """
            select a.pid from pg_stat_activity a, sluice.task t
            where a.query like '%check_notifications%' and a.pid <> pg_backend_pid()
              and a.datname = current_database()
            group by a.pid, a.query_start
            having a.query_start > max(t.created_at) + interval '1 second'"""),
            20, "a worker that has looked")
        query(url, opened)
        changed = time.monotonic()
        wait_ended(url, number + 1)
        return time.monotonic() - changed
    # The middle one of five: a sleeper looks within 5 s of itself.
    took_s = sorted(seconds_to_follow(number) for number in range(5))
    print(f"took {[round(took, 3) for took in took_s]} s")
    assert took_s[2] < 1.0, f"nobody woke up for it: {took_s}"


def test_a_raised_quota_of_a_tenant_starts_what_waits_for_it(pg, mock, worker):
    url, backend = pg.database(), mock()
    add_model(url, "m", backend.url)
    query(url, "insert into sluice.tenants (name) values ('t')")
    worker(url)
    wait_idle(url)

    # its bucket begins empty: the first permit comes in a minute
    assert_workers_follow(url, "update sluice.tenants set rpm = 1",
        "update sluice.tenants set rpm = 6000", tenant="t")


def test_a_raised_max_in_flight_starts_what_waits_for_it(pg, mock, worker):
    url, backend = pg.database(), mock()
    add_model(url, "m", backend.url, max_in_flight=1)
    worker(url)
    wait_idle(url)
    submit(url, "mock:delay=100s")
    wait_for(lambda: query(url, "select 1 from sluice.lease"), 20, "a call under way")
    assert_workers_follow(url, "update sluice.models set max_in_flight = 1",
        "update sluice.models set max_in_flight = 2")


def test_submits_for_a_shut_model_tell_nobody_and_start_when_it_opens(pg, mock, worker):
    url, backend = pg.database(), mock()
    add_model(url, "m", backend.url)
    # its bucket begins empty: the first permit comes in a minute
    query(url, "update sluice.models set rpm = 1")
    worker(url)
    submit(url, "waits for a permit")
    held = ("select count(*) from pg_locks, sluice.models m where locktype = 'advisory' and mode = "
        "'ExclusiveLock' and classid = sluice.lock_class('sleeper') and objid = %s + m.id %% 64 "
        "and database = (select oid from pg_database where datname = current_database())")
    wait_for(lambda: query(url, held, [64])[0][0] and not query(url, held, [0])[0][0], 20,
        "a sleeper without its lock")
    assert query(url, "select sluice.notify_ready(id) from sluice.models") == [
        (False,)], "somebody would be notified"
    query(url, "update sluice.models set rpm = null")
    changed = time.monotonic()
    wait_ended(url, 1)
    assert time.monotonic() - changed < WOKEN_S


def test_a_submit_at_the_moment_its_model_opens_is_not_missed(pg, mock, worker):
    url, backend = pg.database(), mock()
    add_model(url, "m", backend.url)
    worker(url)
    wait_idle(url)
    submitter, opener = connect(url), connect(url)
    for number in range(50):
        query(url, "select sluice.pause('m')")
        # may have work, and is blocked: its lock is not held
        query(url, "select sluice.cancel(sluice.submit('before', 'm'))")
        wait_for(lambda: query(url, "select not sluice.notify_ready(id) from sluice.models")[0][0],
            20, "a sleeper without its lock")
        opened = threading.Thread(
            target=lambda: opener.cursor().execute("select sluice.resume('m')"))
        opened.start()
        submitter.cursor().execute("select sluice.submit('meanwhile', 'm')")
        opened.join()
        begun = time.monotonic()
        wait_ended(url, 2 * (number + 1))
        assert time.monotonic() - begun < WOKEN_S, f"round {number}"
    submitter.close()
    opener.close()


def test_a_due_task_is_started_at_its_time(pg, mock, worker):
    url, backend = pg.database(), mock()
    add_model(url, "m", backend.url)
    worker(url)
    wait_idle(url)
    task = query(url, "select sluice.submit('later', 'm', "
        "run_at => clock_timestamp() + interval '1.5 seconds')")[0][0]
    assert query(url, "select status from sluice.task(%s)", [task]) == [("unsolved",)]
    wait_ended(url, 1)
    early_s = query(url,
        "select extract(epoch from started_at - run_at)::float from sluice.tasks where id = %s",
        [task])
    assert 0 <= early_s[0][0] < 1.0


def test_a_model_whose_claims_fail_keeps_no_other_from_its_tasks(pg, mock, worker):
    url, backend = pg.database(), mock()
    for model in ("broken", "m"):
        add_model(url, model, backend.url)
    query(url, "create function public.fail() returns trigger language plpgsql as $$ begin "
        "raise exception 'damaged' using errcode = 'index_corrupted'; end $$")
    (line,), = query(url, "select id from sluice.models where name = 'broken'")
    query(url, f"create trigger fail before delete on sluice.queue_{line} for each row "
        "execute function public.fail()")
    submit(url, "x", "broken")
    process = worker(url)
    wait_for(lambda: "claiming failed: XX002 damaged" in process.stderr(), 20, "the error")
    submit_many(url, [str(n) for n in range(200)])
    begun = time.monotonic()
    wait_ended(url, 200)
    assert time.monotonic() - begun < WOKEN_S
    query(url, f"drop trigger fail on sluice.queue_{line}")
    wait_ended(url, 201)
