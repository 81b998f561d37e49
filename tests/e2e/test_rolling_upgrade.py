"""A schema of the next release serves the binaries of this one, and the schema of this one those of
the release before: side by side, under load, while it is upgraded."""
import contextlib
import json
import os
import re
import subprocess
import threading
import time
from collections import Counter

import psycopg2
import pytest
from conftest import ROOT, RUN_TIMEOUT_S, clean_environment, connect, http, query, wait_for
from queue_tools import (add_model, assert_each_ended_once, assert_no_fence_twice, statuses, submit,
    wait_ended)
from release_tools import listed, missing, offered

pytestmark = pytest.mark.plain_build_only

NEXT = 9999


def own_version(url):
    return query(url, "select max(version) from sluice.migration")[0][0]


def upgrade(url, serves_from):
    """The schema is a later release's, as far as anybody asks."""
    query(url, "insert into sluice.migration (version, name, sha256, serves_from) "
        "values (%s, '9999_next.sql', 'f00', %s)", [NEXT, serves_from])


def serve_no_more(url):
    query(url, "update sluice.migration set serves_from = %s where version = %s", [NEXT, NEXT])


def end_sessions(url):
    """Of all but this one: whoever had one connects again."""
    query(url, "select count(pg_terminate_backend(pid)) from pg_stat_activity "
        "where datname = current_database() and pid <> pg_backend_pid()")


def test_a_binary_works_with_the_next_schema_that_serves_it(sluice, pg, mock, worker, server):
    url = pg.database()
    add_model(url, "m", mock().url)
    before = [worker(url), server(url)]
    submit(url, "before")
    wait_ended(url, 1)
    upgrade(url, own_version(url))
    end_sessions(url)
    worker(url)
    after = server(url)
    for front in before[1], after:
        wait_for(lambda: http(front.port, "GET", "/readyz").status == 200, what="readiness")
        assert http(front.port, "POST", "/v1/tasks",
            {"prompt": "p", "model": "m"}).status == 202
    assert sluice("submit", "--model", "m", "--prompt", "p", "--wait",
        "--database-url", url).returncode == 0
    assert sluice("status", "--database-url", url).returncode == 0
    assert sluice("migrate", "--database-url", url).stdout == "nothing to do\n"
    assert wait_ended(url, 4) == {"solved": 4}
    wait_for(lambda: query(url, "select count(*) from sluice.workers where alive") == [(2,)],
        what="both workers")
    assert all(process.running() for process in before)


def test_a_binary_leaves_a_schema_that_serves_it_no_more(sluice, pg, mock, worker, server):
    url = pg.database()
    add_model(url, "m", mock().url)
    upgrade(url, own_version(url))
    running, front = worker(url), server(url)
    submit(url, "before")
    wait_ended(url, 1)
    serve_no_more(url)
    wait_for(lambda: http(front.port, "GET", "/readyz").status == 503, what="the server's word")
    reason = http(front.port, "GET", "/readyz").json["reason"]
    assert f"version {NEXT}, which serves binaries from {NEXT} on" in reason
    end_sessions(url)
    assert running.wait() == 5
    assert "use a newer sluice" in running.stderr()
    assert worker(url).wait() == 5
    for command in (["serve"], ["status"], ["submit", "--prompt", "p"], ["migrate"]):
        run = sluice(*command, "--database-url", url)
        assert run.returncode == 5 and "use a newer sluice" in run.stderr, (command, run.stderr)


def test_what_the_last_release_offered_is_there(pg):
    url = pg.database()
    assert missing(url, listed()) == []


def test_what_is_missing_is_told(pg):
    url = pg.database()
    before = [entry for entry in offered(url) if entry.get("function") in ("claim", "explain")
        or entry.get("relation") == "queues" or "type" in entry]
    assert len(before) >= 4 and missing(url, before) == []
    query(url, """set role sluice_owner;
        revoke execute on function sluice.claim(bigint, text[], int, timestamptz)
          from sluice_worker;
        drop function sluice.explain(bigint, timestamptz);
        create function sluice.explain(id bigint, p_now timestamptz, more int default 1)
          returns text language sql as $$ select '' $$;
        alter view sluice.queues rename column depth to deep;
        alter type sluice.outcome add attribute more int; select""")
    told = "\n".join(missing(url, before))
    for word in ("permission denied for function claim", "sluice.explain(null::bigint)",
            'column "depth" does not exist', "type outcome has other columns"):
        assert word in told, told


@pytest.fixture
def previous(started):
    """The last release's binary: run(ARGUMENTS…) to its end, start(ARGUMENTS…)."""
    path = os.environ.get("SLUICE_PREVIOUS_BINARY") or subprocess.run(
        [ROOT / "scripts/previous_release", "--path"], check=True, capture_output=True,
        text=True).stdout.strip()

    class Previous:
        def run(self, *arguments):
            done = subprocess.run([path, *arguments], env=clean_environment(), input="",
                capture_output=True, text=True, timeout=RUN_TIMEOUT_S)
            assert done.returncode == 0, (arguments, done.stderr)
            return done.stdout

        def start(self, *arguments):
            return started(*arguments, binary=path)
    try:
        open(path, "rb").close()
    except FileNotFoundError:
        pytest.skip("the last release's binary is not built: scripts/test --upgrade builds it")
    return Previous()


def test_the_list_is_that_of_the_last_release(previous, pg):
    url = pg.empty_database()
    previous.run("migrate", "--database-url", url)
    assert offered(url) == listed()


# All that clients may call to submit, to a model and to a route.
SUBMITS = [
    "select sluice.submit('p', 'm', idempotency_key => %(name)s)",
    "select sluice.submit(null, 'r', tenant => %(name)s, request => '{}')",
    """select sluice.submit_many(jsonb_build_array(
        jsonb_build_object('prompt', 'p', 'model', 'm', 'tenant', %(name)s),
        jsonb_build_object('request', '{}', 'model', 'r', 'idempotency_key', %(name)s)))""",
    """select id from sluice.submit_each(array['{"prompt": "p", "model": "m"}',
        '{"request": {}, "model": "r"}'], array['default', %(name)s], array[null, %(name)s])""",
    """select id from sluice.submit_array('[{"prompt": "p", "model": "m"},
        {"request": {}, "model": "r"}]', %(name)s, %(name)s)"""]


def functions_of(url, call):
    """The names of the functions in PL/pgSQL that it passes."""
    with contextlib.closing(psycopg2.connect(url)) as connection, connection.cursor() as cursor:
        cursor.execute("set track_functions = 'all'")
        cursor.execute(call, {"name": "path"})
        cursor.execute("""select distinct f.funcname from pg_stat_xact_user_functions f
            join pg_proc p on p.oid = f.funcid join pg_language l on l.oid = p.prolang
            where f.schemaname = 'sluice' and l.lanname = 'plpgsql'""")
        return [name for name, in cursor.fetchall()]


def add_breakpoint(url, function):
    """Sessions whose setting test.at names the function wait at its beginning for a lock."""
    wait = (f"if current_setting('test.at', true) = '{function}' then "
        "perform pg_advisory_xact_lock_shared(1); end if;")
    for text, in query(url, "select pg_get_functiondef(oid) from pg_proc where proname = %s "
            "and pronamespace = 'sluice'::regnamespace", [function]):
        query(url, re.sub(r"\n *begin\n", rf"\g<0>{wait}\n", text, count=1))


class Submit:
    """A session that submits, and waits in a function on its way, or (None) before it begins; a
    warm one has submitted before. outcome: rows, or an error."""

    def __init__(self, url, call, function, warm):
        self.call, self.name, self.outcome = call, f"{call.split('(')[0]} in {function}", None
        self.connection = connect(url)
        self.pid = self.connection.info.backend_pid
        if warm:
            self.run("")
            assert isinstance(self.outcome, list), self.outcome
            self.outcome = None
        if function is None:
            self.call = call.replace("%(name)s",
                "(select %(name)s from pg_advisory_xact_lock_shared(1))", 1)
        self.thread = threading.Thread(target=self.run, args=[function], daemon=True)

    def run(self, function):
        try:
            with self.connection.cursor() as cursor:
                cursor.execute("select set_config('test.at', %s, false)", [function or ""])
                cursor.execute(self.call, {"name": f"{self.name} {function == ''}"})
                self.outcome = cursor.fetchall()
        except psycopg2.Error as error:
            self.outcome = repr(error)

    def end(self):
        self.thread.join()
        self.connection.close()
        return self.outcome


@pytest.mark.parametrize("warm", [False, True], ids=["cold", "warm"])
def test_a_submit_under_way_goes_on_when_its_functions_are_replaced(previous, pg, started, warm):
    url = pg.empty_database()
    previous.run("migrate", "--database-url", url)
    add_model(url, "m", "http://127.0.0.1:1", api="openai-chat")
    query(url, "insert into sluice.routes (route, model) values ('r', 'm')")
    ways = [(call, function) for call in SUBMITS for function in functions_of(url, call)]
    for function in {function for _, function in ways}:
        add_breakpoint(url, function)
    ways += [(call, None) for call in SUBMITS]
    query(url, """alter function sluice.submit_each set lock_timeout = 0;
        alter function sluice.submit_array set lock_timeout = 0; select""")
    with contextlib.closing(connect(url)) as connection, connection.cursor() as locks:
        # the last statement of the functions' transaction writes there
        locks.execute("select pg_advisory_lock(1); begin; "
            "lock table sluice.function_set in share mode")
        submits = [Submit(url, call, function, warm) for call, function in ways]
        migrate = started("migrate", "--database-url", url)
        newest = int(max((ROOT / "sql/migrations").iterdir()).name[:4])
        wait_for(lambda: own_version(url) == newest, 60, "all migrations")
        for submit in submits:
            submit.thread.start()
        wait_for(lambda: {submit.pid for submit in submits if not submit.outcome} == {pid for pid,
            in query(url, "select pid from pg_locks where not granted and locktype = 'advisory'")},
            what="all submits that come by where they are to wait")
        waiting = sum(not submit.outcome for submit in submits)
        locks.execute("rollback")
        assert migrate.wait() == 0, migrate.stderr()
        locks.execute("select pg_advisory_unlock(1)")
        outcomes = [(submit.name, submit.end()) for submit in submits]
    print(f"{waiting} of {len(submits)} submits were under way")
    assert waiting > 100
    assert [told for told in outcomes if isinstance(told[1], str)] == []
    assert query(url, "select count(*) from sluice.task") == query(url,
        "select count(*) from sluice.task join sluice.queue on task_id = id")


class Load:
    """Submits by SQL and by HTTP, one task after the other each, wherever `ports` leads."""

    def __init__(self, url):
        self.url, self.ports, self.ids, self.retries = url, [], [], []
        self.errors, self.stopping = [], False
        self.threads = [threading.Thread(target=self.repeat, args=[way], daemon=True)
            for way in (self.submit_by_sql, self.submit_by_http)]

    def start(self):
        for thread in self.threads:
            thread.start()

    def repeat(self, way):
        number = 0
        while not self.stopping:
            number += 1
            try:
                self.ids.append(way(number))
            except Exception as error:  # told by stop()
                self.errors.append(repr(error))
                return
            time.sleep(0.002)

    def submit_by_sql(self, number):
        """By its idempotency key a task whose acknowledgement was lost is not submitted twice."""
        while True:
            try:
                return query(self.url, "select sluice.submit('p', 'm', idempotency_key => %s)",
                    [f"sql {number}"])[0][0]
            except psycopg2.Error as error:
                # a lock that was not to be had in time, a session that was ended
                if error.pgcode not in ("55P03", "57P01", None):
                    raise
                self.retries.append(repr(error))

    def submit_by_http(self, number):
        while True:
            try:
                reply = http(self.ports[number % len(self.ports)], "POST", "/v1/tasks",
                    {"prompt": "p", "model": "m", "idempotency_key": f"http {number}"})
            except OSError as error:  # it has drained
                self.retries.append(repr(error))
                continue
            if reply.status in (200, 202):
                return reply.json["id"]
            # 504: the session ended after the statement was sent
            assert reply.status in (503, 504), reply.body
            self.retries.append(reply.body)

    def stop(self):
        self.stopping = True
        for thread in self.threads:
            thread.join()
        assert self.errors == []
        return self.ids


def front_of(process):
    process.wait_for_output("listening on http://")
    process.port = int(re.search(r"listening on http://127.0.0.1:(\d+)", process.stdout())[1])
    wait_for(lambda: http(process.port, "GET", "/readyz").status == 200, 60, "readiness")
    return process


def wait_for_calls(backend, count, what):
    before = len(backend.arrivals())
    wait_for(lambda: len(backend.arrivals()) >= before + count, 60, what)


def assert_no_errors(processes):
    """But for sweeps that gave up waiting while a migration had a table's lock: the next one comes
    a second later."""
    for process in processes:
        lines = [line for line in process.stderr().splitlines()
            if " error " in line and "sweeping failed: 55P03" not in line]
        assert lines == [], lines


def test_old_and_new_work_side_by_side_while_the_schema_is_upgraded(previous, sluice, pg,
        mock, worker, server):
    url, backend = pg.empty_database(), mock("--latency", "5ms-50ms")
    at = ["--database-url", url]
    front_flags = ["--listen", "127.0.0.1:0", "--without-keys"]
    previous.run("migrate", *at)
    version = own_version(url)
    add_model(url, "m", backend.url, rpm=600_000, tpm=100_000_000)
    load = Load(url)
    old_workers = [previous.start("worker", *at, "--slots", "20")]
    old_front = front_of(previous.start("serve", *at, *front_flags))
    load.ports = [old_front.port]
    load.start()
    wait_for_calls(backend, 200, "a running start")

    # The schema, with the old ones at work; then it is a later one by its number, too. Its
    # functions are made anew, however few have changed since.
    query(url, "update sluice.function_set set sha256 = 'older'")
    run = sluice("migrate", *at)
    assert run.returncode == 0 and "functions" in run.stdout, run
    wait_for_calls(backend, 200, "the old worker on the new schema")
    upgrade(url, version)
    end_sessions(url)
    wait_for_calls(backend, 100, "the old worker after it has connected again")
    old_workers.append(previous.start("worker", *at, "--slots", "20"))
    wait_for(lambda: http(old_front.port, "GET", "/readyz").status == 200, what="the old server")
    previous.run("submit", *at, "--model", "m", "--prompt", "by the old command", "--wait")
    assert "MODEL" in previous.run("status", *at)

    # The new ones beside them.
    new_workers = [worker(url, "--slots", "20") for _ in range(2)]
    new_front = server(url)
    load.ports = [old_front.port, new_front.port]
    wait_for(lambda: query(url, "select count(*) from sluice.workers where alive") == [(4,)],
        what="old and new workers")
    wait_for_calls(backend, 300, "old and new")

    # The old ones go.
    load.ports = [new_front.port]
    assert old_front.stop() == 0
    assert [process.stop() for process in old_workers] == [0, 0]
    wait_for_calls(backend, 200, "the new ones alone")
    ids = load.stop()
    wait_ended(url, len(ids) + 1)
    by_command = query(url, "select id from sluice.task where prompt = 'by the old command'")[0]
    assert_each_ended_once(url, [*ids, *by_command])
    assert statuses(url) == {"solved": len(ids) + 1}
    assert_no_fence_twice(backend)
    calls = Counter(task.split(":")[0] for arrival in backend.arrivals()
        for task in arrival["tasks"])
    assert [task for task, count in calls.items() if count > 1] == []
    assert_no_errors([*old_workers, old_front, *new_workers, new_front])
    print(json.dumps({"tasks": len(ids) + 1, "repeated submits": len(load.retries)}))
