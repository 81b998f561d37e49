"""sluice doctor: each finding is one line with its way out; a sound installation has none."""
import contextlib
import json
import os
import re
import signal
import socket
import threading
import time

import pytest
from conftest import Pooler, connect, http, private_postgres, query, wait_for
from queue_tools import add_model, as_user, submit_many

ENOUGH_TRANSACTIONS = 100_001


@pytest.fixture
def url(pg):
    return pg.database()


@pytest.fixture
def doctor(sluice, url):
    """A function that runs doctor: its findings, after judging exit code and form."""
    def run(*arguments, env=()):
        ended = sluice("doctor", "--json", "--database-url", url, *arguments, env=env)
        found = [json.loads(line) for line in ended.stdout.splitlines()]
        assert (ended.returncode, ended.stderr) == (1 if found else 0, "")
        assert all(one["finding"] and one["way_out"] for one in found)
        return [(one["check"], one["finding"]) for one in found]
    return run


def the_one(found, check):
    assert [kind for kind, _ in found] == [check], found
    return found[0][1]


@pytest.fixture
def port():
    """Where a backend could be: it takes connections, and answers nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def fail_calls(url, kind, count, code="http_500"):
    query(url, "insert into sluice.attempt (task_id, ended_at, fence, kind, model, error_code)"
               " select i, clock_timestamp(), 1, %s, 'm', %s from generate_series(1, %s) i",
               (kind, code, count))


def has_answered(url, model):
    query(url, "insert into sluice.history_row (step, at, model, solved) values "
        "('day', date_trunc('day', now(), 'UTC') - interval '20 days', %s, 1)", [model])


def test_a_sound_installation_has_no_findings(sluice, url, doctor, port, worker):
    add_model(url, "m", f"http://127.0.0.1:{port}", secret="env:SLUICE_SECRET_M")
    environment = {"SLUICE_SECRET_M": "key-of-the-test",
        "SLUICE_SECRET_HOST": f"env:SLUICE_SECRET_M=http://127.0.0.1:{port}"}
    submit_many(url, ["p"] * 3)
    worker(url, env=environment)
    wait_for(lambda: query(url, "select true from sluice.workers where alive"), what="a worker")
    has_answered(url, "m")
    fail_calls(url, "lost", 10)
    fail_calls(url, "retry", 5)
    assert doctor(env=environment) == []
    ended = sluice("doctor", "--database-url", url, env=environment)
    assert (ended.returncode, ended.stdout) == (0, "no findings\n")


def test_a_finding_is_one_line_with_its_way_out(sluice, url, port):
    add_model(url, "m", f"http://127.0.0.1:{port}")
    query(url, "select sluice.close_model('m', 'infinity', E'two\nlines \x1b[31m')")
    ended = sluice("doctor", "--database-url", url)
    assert ended.returncode == 1
    assert ended.stdout == ("parked: model m is parked: two lines ?[31m; mend that, "
        "then sluice model resume m\n")


def test_a_database_without_the_schema_says_run_migrate(sluice, pg):
    ended = sluice("doctor", "--database-url", pg.empty_database())
    assert (ended.returncode, ended.stdout) == (1,
        "schema: the database has no Sluice schema; run sluice migrate\n")


@pytest.mark.parametrize("change, finding", [
    ("update sluice.function_set set sha256 = 'another'", "functions are not this binary's"),
    ("update sluice.migration set sha256 = 'another' where version = 3", "ran with another text"),
    ("insert into sluice.migration values (9999, '9999_later.sql', 'x')",
        "9999_later.sql is unknown")])
def test_drift_of_the_schema(url, doctor, change, finding):
    query(url, change)
    assert finding in the_one(doctor(), "schema")


def test_missing_roles(url, doctor):
    query(url, "insert into sluice.tenants (name, role) values ('t', 'nobody_of_that_name')")
    assert "nobody_of_that_name" in the_one(doctor(), "roles")
    query(url, "delete from sluice.tenants; alter role sluice_reader rename to sluice_reader_away")
    try:
        assert "sluice_reader is missing" in the_one(doctor(), "roles")
    finally:
        query(url, "alter role sluice_reader_away rename to sluice_reader")


def test_a_schema_public_in_which_everybody_may_create(url, doctor):
    query(url, "grant create on schema public to public")
    assert "create functions and operators in schema public" in the_one(doctor(), "names")


def test_a_session_that_holds_a_snapshot(url, doctor):
    holder, others = connect(url), connect(url)
    holder.autocommit = False
    with holder.cursor() as cursor, others.cursor() as passing:
        cursor.execute("select pg_current_xact_id()")
        assert doctor() == []
        passing.execute("create unlogged table passing (n int)")
        passing.execute("do $$ begin for n in 1 .. "
            f"{ENOUGH_TRANSACTIONS} loop begin insert into passing values (n); "
            "exception when others then null; end; end loop; end $$")
        assert "(idle in transaction) has held a snapshot" in the_one(doctor(), "snapshots")
    holder.close()
    others.close()
    assert doctor() == []


def test_sessions_that_cannot_be_seen_are_a_finding(sluice, url):
    query(url, "drop role if exists an_admin; create role an_admin login in role sluice_admin")
    # Sessions that have ended may be there for a moment.
    wait_for(lambda: sluice("doctor", "--database-url", as_user(url, "an_admin")).stdout
        == "no findings\n", what="nobody else there")
    with contextlib.closing(connect(url)) as another:
        user = another.info.user
        ended = sluice("doctor", "--database-url", as_user(url, "an_admin"))
        assert ended.returncode == 1 and ("other users' sessions hold cannot "
            f"be seen (1 of {user})") in ended.stdout
        assert "grant pg_read_all_stats to an_admin" in ended.stdout
    query(url, "grant pg_read_all_stats to an_admin")
    with contextlib.closing(connect(url)):
        assert sluice("doctor", "--database-url",
            as_user(url, "an_admin")).stdout == "no findings\n"


def test_others_than_administrators_are_told_whom_it_takes(sluice, url):
    query(url, "drop role if exists a_reader; "
        "create role a_reader login in role sluice_reader, pg_read_all_stats")
    ended = sluice("doctor", "--database-url", as_user(url, "a_reader"))
    assert ended.returncode == 1 and "sluice_admin" in ended.stderr


def test_autovacuum_that_is_off(url, doctor):
    query(url, "alter table sluice.lease set (autovacuum_enabled = off)")
    assert "sluice.lease" in the_one(doctor(), "autovacuum")


def test_a_backend_that_takes_no_connection_and_is_named_without_its_password(url, doctor):
    with socket.socket() as nobody:  # bound, never listening
        nobody.bind(("127.0.0.1", 0))
        port = nobody.getsockname()[1]
        add_model(url, "m", f"https://user:password@127.0.0.1:{port}/v1")
        finding = the_one(doctor(), "backends")
    assert f"127.0.0.1:{port}" in finding and "password" not in finding


def test_a_backend_is_connected_to_and_sent_nothing(url, doctor):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        add_model(url, "m", f"http://127.0.0.1:{listener.getsockname()[1]}")
        assert doctor() == []
        accepted, _ = listener.accept()
        assert accepted.recv(1) == b""


def test_secrets_that_are_not_set_out_of_bounds_or_open_to_everybody(url, doctor, port, tmp_path):
    key = tmp_path / "key"
    key.write_text("precious")
    key.chmod(0o644)
    add_model(url, "file", f"http://127.0.0.1:{port}", secret=f"file:{key}")
    add_model(url, "unset", f"http://127.0.0.1:{port}", secret="env:SLUICE_SECRET_UNSET")
    add_model(url, "home", f"http://127.0.0.1:{port}", secret="env:HOME")
    add_model(url, "away", f"http://127.0.0.2:{port}", secret="env:SLUICE_SECRET_UNSET")
    backend = f"http://127.0.0.1:{port}"
    found = doctor("--secret-dir", tmp_path, "--secret-host", f"file:{key}={backend}",
        "--secret-host", f"env:SLUICE_SECRET_UNSET={backend}")
    found = dict(what.split(": ", 1) for check, what in found if check == "secrets")
    assert list(found) == ["model away", "model file", "model home", "model unset"]
    for model, expected in (("away", "--secret-host"), ("file", "chmod o-rwx"),
            ("home", "--secret-env"), ("unset", "is not set")):
        assert expected in found[f"model {model}"]
    assert "precious" not in str(found)


def test_a_model_parked_for_its_secret_is_one_finding(sluice, url, port):
    for name in ("m", "other"):
        add_model(url, name, f"http://127.0.0.1:{port}", secret="env:SLUICE_SECRET_M")
        query(url, "select sluice.close_model(%s, 'infinity', 'credential: secret"
            " env:SLUICE_SECRET_M is not set in the worker''s environment')", (name,))
    found = sluice("doctor", "--database-url", url, env={
        "SLUICE_SECRET_HOST": f"env:SLUICE_SECRET_M=http://127.0.0.1:{port}"}).stdout.splitlines()
    assert [line.split(":")[0] for line in found] == ["secrets", "parked"], found
    assert found[0].endswith("; then sluice model resume m")
    assert found[1].startswith("parked: model other is parked: credential: ")


def test_findings_are_as_wide_as_the_terminal(sluice, url):
    add_model(url, "m", "http://127.0.0.1:1")
    narrow = {"COLUMNS": "40"}
    found = sluice("doctor", "--database-url", url, env=narrow).stdout
    assert found.replace("\n  ", " ") == sluice("doctor", "--database-url", url).stdout
    found += sluice("doctor", "--mechanisms", "--database-url", url, env=narrow).stdout
    assert all(len(line) <= 40 for line in found.splitlines()), found


def test_tasks_that_nobody_serves(url, doctor, port, worker):
    add_model(url, "m", f"http://127.0.0.1:{port}")
    add_model(url, "other", f"http://127.0.0.1:{port}")
    submit_many(url, ["p"] * 3)
    worker(url, "--models", "other")
    wait_for(lambda: query(url, "select true from sluice.workers where alive"), what="a worker")
    assert "model m has 3 unfinished tasks and no live worker" in the_one(doctor(), "workers")


def test_an_open_breaker(url, doctor, port):
    add_model(url, "m", f"http://127.0.0.1:{port}")
    query(url, "update sluice.breaker set state = 'open', since = now()")
    assert "is open" in the_one(doctor(), "breaker")
    query(url, "update sluice.breaker set state = 'half_open'")
    assert doctor() == []


def test_more_unfinished_tasks_than_four_fifths_of_the_bound(url, doctor, port, worker):
    add_model(url, "m", f"http://127.0.0.1:{port}", max_unfinished=1300, paused=True)
    worker(url)
    wait_for(lambda: query(url, "select true from sluice.workers where alive"), what="a worker")
    submit_many(url, ["p"] * 1001)
    assert doctor() == []
    submit_many(url, ["p"] * 40)
    assert "1041 unfinished tasks of at most 1300" in the_one(doctor(), "depth")


def test_a_hard_budget_that_is_exhausted(url, doctor, port, worker):
    add_model(url, "m", f"http://127.0.0.1:{port}", input_price=1, output_price=1,
        max_output_tokens=1)
    worker(url)
    query(url, "insert into sluice.budgets (name, scope, limit_nanos) values "
        "('b', 'system', 100000)")
    query(url, "insert into sluice.budget_spent select id, clock_timestamp(), 99999 "
        "from sluice.budgets")
    assert doctor() == []
    submit_many(url, ["p"])
    wait_for(lambda: query(url, "select waiting from sluice.budget_rows()") == [(1,)],
        what="a task that waits")
    assert ("budget b has no room for one more call: 0.000099999 spent and 0 held of 0.0001, "
        "1 tasks wait until") in the_one(doctor(), "budgets")
    query(url, "insert into sluice.budget_spent select id, clock_timestamp(), 1 "
        "from sluice.budgets")
    assert "budget b is exhausted: 0.0001 spent and" in the_one(doctor(), "budgets")
    query(url, "update sluice.budgets set limit_nanos = 100000000")
    wait_for(lambda: doctor() == [], what="no finding")


def test_a_model_at_which_tasks_of_a_hard_budget_fail(url, doctor, port, worker):
    add_model(url, "m", f"http://127.0.0.1:{port}", max_output_tokens=1)
    worker(url)
    query(url, "insert into sluice.budgets (name, scope, limit_nanos) values "
        "('b', 'system', 100000)")
    assert "model m has no price: tasks that budget b counts fail there" in (
        the_one(doctor(), "budgets"))
    query(url, "update sluice.models set input_price = 0, output_price = 0")
    assert doctor() == []


def test_tasks_taken_back_and_errors_above_the_thresholds(url, doctor):
    fail_calls(url, "lost", 11)
    assert "11 tasks were taken back" in the_one(doctor(), "recovered")
    query(url, "delete from sluice.attempt")
    fail_calls(url, "retry", 4)
    fail_calls(url, "failed", 2)
    fail_calls(url, "retry", 5, "timeout")
    assert "6 calls of model m failed with http_500" in the_one(doctor(), "errors")


def test_a_model_that_has_never_answered_is_a_finding_at_its_first_failure(url, doctor, mock,
        worker):
    backend = mock("--latency", "0ms").url
    add_model(url, "good", backend)
    add_model(url, "bad", f"{backend}/nothing/here")
    worker(url)
    def ends_as(status, model):
        task = query(url, "select sluice.submit('p', %s, max_attempts => 1)", [model])[0][0]
        wait_for(lambda: query(url, "select status from sluice.task(%s)", [task]) == [(status,)],
            what=status)
    ends_as("failed", "bad")
    assert ("model bad has answered no call, and 1 failed, the last with http_404"
        in the_one(doctor(), "errors"))
    ends_as("solved", "good")
    assert len(doctor()) == 1
    query(url, "update sluice.models set url = %s where name = 'bad'", [backend])
    ends_as("solved", "bad")
    assert doctor() == []


def test_a_model_that_answered_weeks_ago_may_fail_once(url, doctor, port):
    add_model(url, "m", f"http://127.0.0.1:{port}")
    fail_calls(url, "failed", 1)
    assert "model m has answered no call" in the_one(doctor(), "errors")
    has_answered(url, "m")
    assert doctor() == []


def test_a_pooler_without_a_direct_url(pooler, sluice):
    ended = sluice("doctor", "--database-url", pooler.url)
    assert ended.returncode == 1 and "--direct-url" in ended.stdout
    ended = sluice("doctor", "--database-url", pooler.url, "--direct-url", pooler.direct_url)
    assert ended.stdout == "no findings\n"


def test_a_worker_that_is_to_serve_an_unknown_model_says_so_and_so_does_doctor(url, doctor,
        port, worker):
    add_model(url, "m", f"http://127.0.0.1:{port}")
    serving = worker(url, "--models", "m,zzz")
    wait_for(lambda: 'unknown model "zzz" in --models' in serving.stderr(), what="the warning")
    assert '"m"' not in serving.stderr()
    assert "is to serve model zzz, which does not exist" in the_one(doctor(), "workers")
    add_model(url, "zzz", f"http://127.0.0.1:{port}")
    assert doctor() == []
    assert serving.stderr().count("unknown model") == 1


def test_a_server_shows_what_doctor_finds(url, server, sluice):
    add_model(url, "m", "http://127.0.0.1:1", secret="env:SLUICE_SECRET_NOBODY_SET")
    submit_many(url, ["p"] * 3)
    port = server(url).port
    replies = []
    threads = [threading.Thread(target=lambda: replies.append(http(port, "GET", "/v1/doctor")))
        for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [reply.status for reply in replies] == [200] * 3
    assert len({reply.body for reply in replies}) == 1   # one look for all
    found = {one["check"]: one for one in replies[0].json["data"]}
    assert "no live worker" in found["workers"]["finding"] and found["workers"]["way_out"]
    assert "backends" in found and "secrets" not in found
    told = [json.loads(line) for line in sluice("doctor", "--json", "--database-url",
        url).stdout.splitlines()]
    assert [one for one in told if one["check"] != "secrets"] == replies[0].json["data"]
    submit_many(url, ["p"] * 3)
    assert http(port, "GET", "/v1/doctor").body == replies[0].body   # it is kept for a while


def test_a_server_says_that_doctor_did_not_come_to_its_end(url, server):
    port = server(url).port
    query(url, "alter function sluice.recent_failures(interval, timestamptz) rename to away")
    reply = http(port, "GET", "/v1/doctor")
    assert (reply.status, reply.json["error"]["type"]) == (503, "unavailable")
    assert "ended with status 1" in reply.json["error"]["message"]


MECHANISMS = ["advisory locks", "wake-ups", "setval", "unlogged sequences", "writes"]


def mechanisms(sluice, url, *arguments):
    """What doctor says of the server, and the verdict and reason of each mechanism."""
    lines = [json.loads(line) for line in sluice("doctor", "--mechanisms", "--json",
        "--database-url", url, *arguments).stdout.splitlines()]
    return lines[0], {line["mechanism"]: (line["verdict"], line["why"]) for line in lines
        if "mechanism" in line}


def test_the_mechanisms_are_tried_and_leave_nothing_behind(sluice, url):
    server, tried = mechanisms(sluice, url)
    assert (server["provider"], server["pooler"], server["standby"]) == ("no provider's mark",
        "none", False) and server["server"].startswith("PostgreSQL ")
    assert list(tried) == MECHANISMS and {verdict for verdict, _ in tried.values()} == {"works"}
    assert re.fullmatch(r"a notification came after \d+\.\d ms", tried["wake-ups"][1])
    ended = sluice("doctor", "--mechanisms", "--database-url", url)
    assert ended.returncode == 0 and ended.stdout.endswith("\nno findings\n")
    assert re.match(r"server: PostgreSQL \d+, no provider's mark; reached directly\n"
        "advisory locks: works: a session's lock keeps others out\n", ended.stdout)
    assert query(url, "select count(*) from pg_class where relname = 'sluice_doctor'") == [(0,)]
    assert query(url, "select count(*) from pg_locks where classid = sluice.lock_class('doctor')"
        ) == [(0,)]


def test_a_provider_is_recognised_by_its_role_or_function(sluice, url):
    query(url, "create role rds_superuser")
    try:
        assert mechanisms(sluice, url)[0]["provider"] == "Amazon RDS"
        query(url, "create function aurora_version() returns text language sql as $$select 'x'$$")
        server, tried = mechanisms(sluice, url)
        assert server["provider"] == "Amazon Aurora"
        assert "outlive a failover" in tried["unlogged sequences"][1]
    finally:
        query(url, "drop role rds_superuser")


def test_a_direct_url_that_leads_to_another_database(pg, sluice, url):
    """There notifications do not arrive, and locks keep nobody out."""
    ended = sluice("doctor", "--json", "--database-url", url, "--direct-url", pg.database())
    found = [json.loads(line) for line in ended.stdout.splitlines()]
    assert ended.returncode == 1
    assert [(one["check"], one["finding"]) for one in found] == [
        ("mechanisms", "advisory locks: a session's lock did not keep another one out"),
        ("wakeups", "wake-ups: no notification came within 2000 ms")]
    assert all("leads to the same database" in one["way_out"] for one in found)


@pytest.mark.parametrize("mode, expected", [("transaction", "workers cannot LISTEN"),
    ("session", "in session mode")])
def test_the_mode_of_a_pooler_is_found_out(pg, sluice, mode, expected):
    url = pg.database()
    with contextlib.closing(Pooler(url, mode)) as pooler:
        server, tried = mechanisms(sluice, pooler.url)
        assert (server["pooler"], server["direct_pooler"]) == (mode, mode)
        assert tried["wake-ups"][0] == "differs"
        assert tried["setval"][0] == ("works" if mode == "session" else "unknown")
        ended = sluice("doctor", "--database-url", pooler.url)
        assert ended.returncode == 1 and expected in ended.stdout
        server, tried = mechanisms(sluice, pooler.url, "--direct-url", url)
        assert (server["pooler"], server["direct_pooler"]) == (mode, "none")
        assert {verdict for verdict, _ in tried.values()} == {"works"}


def test_a_check_that_takes_too_long_is_a_finding_and_the_others_go_on(url, doctor):
    with contextlib.closing(connect(url)) as holder, holder.cursor() as cursor:
        cursor.execute("begin; lock table sluice.models")
        begun = time.monotonic()
        found = doctor("--check-timeout", "300ms")
        assert time.monotonic() - begun < 20
        cursor.execute("rollback")
    given_up = [check for check, what in found if "took longer than 300 ms" in what]
    assert {"secrets", "backends", "queues"} <= set(given_up), found
    assert doctor() == []


def test_a_server_that_answers_nothing_more_ends_doctor(url, started):
    """Not even a request to cancel helps: its session is frozen."""
    with contextlib.closing(connect(url)) as holder, holder.cursor() as cursor:
        cursor.execute("begin; lock table sluice.models")
        doctor = started("doctor", "--check-timeout", "1s", "--database-url", url)
        waiting = wait_for(lambda: query(url, "select pid from pg_stat_activity "
            "where cardinality(pg_blocking_pids(pid)) > 0"), what="a check that waits")
        os.kill(waiting[0][0], signal.SIGSTOP)
        try:
            assert doctor.wait(20) == 4
            assert "the connection to the database broke" in doctor.stderr()
        finally:
            os.kill(waiting[0][0], signal.SIGCONT)
            cursor.execute("rollback")


def mute_port(stack):
    """A port whose queue of connections is full: whoever connects hears nothing."""
    listener = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
    for _ in range(3):
        client = stack.enter_context(socket.socket())
        client.setblocking(False)
        client.connect_ex(listener.getsockname())
    return listener.getsockname()[1]


def test_many_mute_backends_take_no_longer_than_one_check(url, doctor):
    with contextlib.ExitStack() as stack:
        for number in range(66):  # 64 are tried at a time
            add_model(url, f"m{number}", f"http://127.0.0.1:{mute_port(stack)}")
        begun = time.monotonic()
        found = doctor("--check-timeout", "1s")
        assert time.monotonic() - begun < 40  # one after the other: 66
    # On a busy machine another check may take longer than its second, and say so.
    found = [finding for check, finding in found if check == "backends"]
    assert len(found) == 65
    assert found[-1].startswith("2 backends were not tried: the others took 1000 ms")


def test_partitions_that_were_dropped(url, doctor):
    last = query(url, "select max(n) from sluice.id_range")[0][0]
    query(url, f"drop table sluice.result_{last}")
    assert f"result_{last}" in the_one(doctor(), "partitions")


def test_a_foreign_key_to_a_task(url, doctor):
    query(url, 'create table public."an order" (task bigint references sluice.task)')
    assert the_one(doctor(), "references") == (
        'public."an order" has a foreign key to sluice.task: retention fails at the rows that it '
        'refers to, and deletes nothing')


def test_a_worker_of_another_version(url, doctor):
    query(url, "select sluice.register_worker('mine', 1)")  # a program of one's own has none
    assert doctor() == []
    query(url, "select sluice.register_worker('old', 1, version => '0.0.1')")
    assert the_one(doctor(), "versions").startswith("1 live worker runs version 0.0.1, this is ")


@pytest.fixture
def own_server():
    """A function that makes and starts a server with these settings."""
    made = []

    def make(*settings, copy_of=None):
        server = private_postgres.PrivatePostgres(fsync=False, settings=settings)
        made.append(server)
        if copy_of:
            server.copy(copy_of, "-R")
        server.start()
        return server
    yield make
    for server in reversed(made):
        server.remove()


@pytest.mark.plain_build_only
def test_an_archive_that_fails_and_connections_that_are_taken(own_server, sluice):
    server = own_server("max_connections=10", "archive_mode=on", "archive_command=false")
    url = server.url()
    assert sluice("migrate", "--database-url", url).returncode == 0
    query(url, "select pg_switch_wal()")
    wait_for(lambda: query(url, "select failed_count > 0 from pg_stat_archiver") == [(True,)],
        what="the failure")
    with contextlib.ExitStack() as sessions:
        for _ in range(5):  # and two of doctor's are all that others than superusers may have
            sessions.enter_context(contextlib.closing(connect(url)))
        found = {line["check"]: line["finding"] for line in map(json.loads,
            sluice("doctor", "--json", "--database-url", url).stdout.splitlines())}
    assert set(found) == {"archive", "connections"}
    assert found["archive"].startswith("WAL is not archived since 0000")
    assert re.match(r"7 of 7 connections are taken", found["connections"])


@pytest.mark.plain_build_only
def test_a_standby_is_a_finding_and_does_not_break_doctor(own_server, sluice):
    settings = ("shared_buffers=16MB", "max_connections=50")
    primary = own_server(*settings)
    assert sluice("migrate", "--database-url", primary.url()).returncode == 0
    standby = own_server(*settings, copy_of=primary)
    wait_for(lambda: query(standby.url(), "select to_regclass('sluice.task') is not null")
        == [(True,)], what="the standby")
    ended = sluice("doctor", "--database-url", standby.url())
    assert (ended.returncode, ended.stderr) == (1, "")
    assert ended.stdout.startswith("standby: this server is a standby: it takes no tasks")
    server, tried = mechanisms(sluice, standby.url())
    assert server["standby"] and tried["unlogged sequences"][0] == "fails"
