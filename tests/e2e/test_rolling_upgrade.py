"""A schema of the next release serves the binaries of this one, and the schema of this one those of
the release before: side by side, under load, while it is upgraded."""
import json
import os
import re
import subprocess
import threading
import time
from collections import Counter

import psycopg2
import pytest
from conftest import ROOT, RUN_TIMEOUT_S, clean_environment, http, query, wait_for
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
    for process in processes:
        lines = [line for line in process.stderr().splitlines() if " error " in line]
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
    wait_for(lambda: sum(statuses(url).values()) == len(ids) + 1, 60, "the last tasks")
    by_command = query(url, "select id from sluice.task where prompt = 'by the old command'")[0]
    assert_each_ended_once(url, [*ids, *by_command])
    assert statuses(url) == {"solved": len(ids) + 1}
    assert_no_fence_twice(backend)
    calls = Counter(task.split(":")[0] for arrival in backend.arrivals()
        for task in arrival["tasks"])
    assert [task for task, count in calls.items() if count > 1] == []
    assert_no_errors([*old_workers, old_front, *new_workers, new_front])
    print(json.dumps({"tasks": len(ids) + 1, "repeated submits": len(load.retries)}))
