"""sluice up: a private PostgreSQL that lives and dies with the command."""
import concurrent.futures
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

import psycopg2
import pytest

from conftest import BINARY, Monitor, connect, free_port, http, query, wait_for
from queue_tools import add_model, statuses, submit_many, wait_ended
from span_tools import SAMPLED, attributes, recorder, spans_of  # noqa: F401 (a fixture)


def make_directory():
    # Where the server's account can go: pytest's own directories are closed to others.
    path = pathlib.Path(tempfile.mkdtemp(prefix="sluice-up-", dir="/tmp"))
    path.chmod(0o755)
    return path


def remove_directory(path):
    pids = [server_pid(file.parents[1]) for file in path.glob("*/pgdata/postmaster.pid")]
    wait_for(lambda: not any(map(is_alive, pids)), 60, "the servers' end")
    shutil.rmtree(path)


@pytest.fixture
def directory():
    path = make_directory()
    yield path
    remove_directory(path)


@pytest.fixture
def started(directory, started):
    """As everywhere; named after `directory` so that processes end before it goes."""
    return started


@pytest.fixture(scope="session")
def cluster(sluice):
    """A data directory that `sluice up` made and left in order: copying it saves each test an
    initdb."""
    path = make_directory()
    with open(path / "out", "w+") as out:
        process = subprocess.Popen(
            [sluice.path, "up", "--data", path / "data", "--listen", free_address()], stdout=out)
        try:
            wait_for(lambda: "export" in (path / "out").read_text(), 60, "the first start")
        finally:
            process.terminate()
            process.wait()
    yield path / "data"
    remove_directory(path)


def free_address():
    return f"127.0.0.1:{free_port()}"


def url_in(data):
    line = (data / "env").read_text()
    assert line.startswith("export DATABASE_URL='") and line.endswith("'\n")
    return line.removeprefix("export DATABASE_URL='").removesuffix("'\n")


@pytest.fixture
def start_up(started, cluster):
    """A function that runs `sluice up` on a directory which it fills beforehand if it is absent."""
    def start(data, *flags, env=()):
        if not data.exists():
            subprocess.run(["cp", "-a", cluster, data], check=True)
        return run_up(started, data, *flags, env=env)
    return start


def run_up(started, data, *flags, env=()):
    address = () if "--listen" in flags else ("--listen", free_address())
    process = started("up", "--data", data, *address, *flags, env=env)
    process.wait_for_output("export DATABASE_URL=")
    return process


def server_pid(data):
    return int((data / "pgdata" / "postmaster.pid").read_text().split()[0])


def is_alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes() != b""  # empty: a zombie
    except FileNotFoundError:
        return False


def test_up_serves_a_migrated_database_and_stops_its_server_on_sigterm(started, directory):
    data = directory / "data"
    up = run_up(started, data)
    assert query(url_in(data), "select count(*) > 0 from sluice.migration") == [(True,)]
    assert query(url_in(data),
        "select current_setting('fsync'), current_setting('synchronous_commit')") == [("on", "on")]
    pid = server_pid(data)
    assert up.stop() == 0
    assert not is_alive(pid)
    assert not (data / "pgdata" / "postmaster.pid").exists()


def test_up_answers_the_api_with_keys_or_without(started, sluice, directory, mock):
    data, address = directory / "data", free_address()
    port = int(address.split(":")[1])
    up = started("up", "--data", data, "--listen", address, "--without-keys")
    up.wait_for_output("export DATABASE_URL=")
    wait_for(lambda: answers(port), what="readiness")
    model = {"url": mock("--latency", "10ms").url}
    assert http(port, "PUT", "/v1/models/m", model).status == 200
    task = http(port, "POST", "/v1/tasks", {"prompt": "x", "model": "m"}).json["id"]
    assert http(port, "GET", f"/v1/tasks/{task}?wait=30s").json["status"] == "solved"
    assert http(port, "GET", "/readyz").json == {"ready": True, "wakeups": "listen"}
    metrics = http(port, "GET", "/metrics").body
    assert "sluice_http_requests_total{" in metrics and "sluice_listen_mode{" in metrics
    console = f"# console: http://{address}/console/\n"
    assert console in up.stdout() and "sluice key create" not in up.stdout()
    assert http(port, "GET", "/console/").status == 200
    assert up.stop() == 0
    up = started("up", "--data", data, "--listen", address)
    wait_for(lambda: answers(port), what="readiness")
    assert console in up.stdout() and "sluice key create me --scope admin" in up.stdout()
    assert http(port, "POST", "/v1/tasks", {"prompt": "x", "model": "m"}).status == 401
    key = sluice("key", "create", "k", "--database-url", url_in(data)).stdout.strip()
    wait_for(lambda: http(port, "POST", "/v1/tasks", {"prompt": "x", "model": "m"}, key=key).status
        == 202, what="the key")
    assert up.stop() == 0
    refused = sluice("up", "--data", data, "--listen", "0.0.0.0:0", "--without-keys")
    assert refused.returncode == 2 and "loopback" in refused.stderr


def cpu_s(pids):
    """What these processes, threads included, have used so far."""
    files = [file for pid in pids for file in pathlib.Path(f"/proc/{pid}/task").glob("*/schedstat")]
    return sum(int(file.read_text().split()[0]) for file in files) / 1e9


@pytest.mark.plain_build_only
def test_up_costs_next_to_nothing_while_nobody_asks(start_up, directory, mock):
    """Also after work, and with many lanes: an idle system walked them once a second, up to 2 % of
    a core."""
    up = start_up(directory / "data")
    url = url_in(directory / "data")
    for number in range(3):
        add_model(url, f"m{number}", mock().url)
        query(url, """
            select count(*)
            from sluice.submit_many((select jsonb_agg(jsonb_build_object('prompt', n::text,
            'model', %s)) from generate_series(1, 200) n))""", [f"m{number}"])
    query(url, """
        insert into sluice.mark select m.id, rank, 0, nextval('sluice.mark_id'),
        now() - interval '1 hour' from sluice.models m, generate_series(-90, 90) rank""")
    wait_ended(url, 600)
    watched = connect(url)  # a new session would cost more than it measures

    def look():
        with watched.cursor() as cursor:
            cursor.execute("""
                select pg_stat_clear_snapshot();
                select pg_stat_force_next_flush();
                select array_agg(pid), (select xact_commit from pg_stat_database
                where datname = current_database()) from pg_stat_activity
                where pid <> pg_backend_pid() and backend_type <> 'autovacuum worker'""")
            pids, commits = cursor.fetchone()
        return {pid: cpu_s([pid])
            for pid in [up.pid, server_pid(directory / "data"), *pids]}, commits, time.monotonic()

    wait_for(lambda: query(url, "select not exists (select from sluice.ready_line) "
            "and coalesce(pg_sequence_last_value('sluice.sweep_rest_id'), 0) > 0") == [(True,)], 60,
        "rest")

    def rates():
        """Transactions a second, and the share of a core, in ten seconds."""
        before, commits, begun = look()
        time.sleep(10)  # what is measured
        after, after_commits, ended = look()
        used_s = sum(cpu - before.get(pid, 0) for pid, cpu in after.items())  # sessions come and go
        return (after_commits - commits) / (ended - begun), used_s / (ended - begun)

    least = [rates()]
    # Upkeep of what has just ended may fall into the first.
    while not (least[-1][0] < 2 and least[-1][1] < 0.004) and len(least) < 4:
        least.append(rates())
    assert least[-1][0] < 2 and least[-1][1] < 0.004, f"transactions/s, cores: {least}"


def test_up_exports_the_spans_of_its_requests_and_of_its_calls(started, directory, mock, recorder):
    data, address, collector = directory / "data", free_address(), recorder()
    port = int(address.split(":")[1])
    up = started("up", "--data", data, "--listen", address, "--without-keys",
        env={"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url})
    wait_for(lambda: answers(port), what="readiness")
    add_model(url_in(data), "m", mock().url)
    task = http(port, "POST", "/v1/tasks", {"prompt": "x", "model": "m"},
        headers={"traceparent": SAMPLED}).json["id"]
    assert http(port, "GET", f"/v1/tasks/{task}?wait=30s").json["status"] == "solved"
    # they are among the worker's
    assert "sluice_http_spans_exported_total " not in http(port, "GET", "/metrics").body
    assert up.stop() == 0
    of_request, of_call = sorted(spans_of(collector), key=lambda span: span["kind"])
    assert (of_request["name"], of_call["name"]) == ("POST /v1/tasks", "text_completion m")
    assert of_call["parentSpanId"] == of_request["spanId"]
    assert {attributes(each["resource"])["service.name"] for _, _, body in collector.requests
        for each in body["resourceSpans"]} == {"sluice-up"}


def answers(port):
    try:
        return http(port, "GET", "/readyz").status == 200
    except OSError:
        return False


def test_what_a_statement_holds_that_fails_is_not_logged(start_up, directory):
    data = directory / "data"
    start_up(data)
    with pytest.raises(psycopg2.Error):
        query(url_in(data), "insert into sluice.models (name, url, secret) values ('m', "
                            "'http://h', 'sk-a-secret')")
    with pytest.raises(psycopg2.Error):
        query(url_in(data), "select sluice.submit('a private prompt', 'no-such-model')")
    log = (data / "postgres.log").read_text()
    assert "no-such-model" in log and "a private prompt" not in log and "sk-a-secret" not in log


def test_its_server_is_found_whatever_port_the_environment_names(start_up, directory):
    data = directory / "data"
    start_up(data, env={"PGPORT": str(free_port())})
    assert query(url_in(data), "select 1") == [(1,)]


def test_sigint_stops_it_too(start_up, directory):
    up = start_up(directory / "data")
    up.signal(signal.SIGINT)
    assert up.wait() == 0


def test_a_task_without_a_model_goes_anywhere_where_up_made_the_database(start_up, directory):
    data = directory / "data"
    up = start_up(data)
    assert query(url_in(data), "select default_model from sluice.settings") == [("any",)]
    query(url_in(data), "update sluice.settings set default_model = null")
    up.stop()
    up = start_up(data)
    # from then on it is the user's
    assert query(url_in(data), "select default_model from sluice.settings") == [(None,)]
    # As an up leaves it that was killed after the migration.
    query(url_in(data), "alter database sluice set sluice.default_is_owed = 'yes'")
    up.stop()
    start_up(data)
    assert query(url_in(data), "select default_model, current_setting('sluice.default_is_owed', "
        "true) from sluice.settings") == [("any", None)]


def test_psql_takes_its_arguments_verbatim(start_up, sluice, directory):
    data = directory / "data"
    start_up(data)
    run = sluice("psql", "-XAt", "-v", "migrate=--help", "-c", "select 'up'", "--",
        env={"DATABASE_URL": url_in(data)})
    assert (run.returncode, run.stdout) == (0, "up\n"), run.stderr
    refused = sluice("psql", "-Xc", "select sluice.submit('x', 'nobody')",
        env={"DATABASE_URL": url_in(data)}).stderr
    assert "HINT" in refused and "CONTEXT" not in refused


def test_after_kill_9_the_server_ends_by_itself_and_the_next_up_recovers(start_up, directory):
    data = directory / "data"
    up = start_up(data)
    query(url_in(data), "create table kept (x int)")
    query(url_in(data), "insert into kept values (42)")
    pid = server_pid(data)
    up.kill()
    again = start_up(data)  # at once: it waits for the former server's end
    assert not is_alive(pid)
    assert query(url_in(data), "select x from kept") == [(42,)]
    assert again.stop() == 0


def test_a_crashed_server_ends_up_with_one_clear_line_and_recovers_next_time(start_up, directory):
    data = directory / "data"
    up = start_up(data)
    query(url_in(data), "create table kept (x int)")
    os.kill(server_pid(data), signal.SIGQUIT)
    assert up.wait() == 1
    assert up.stderr().count("PostgreSQL ended under us") == 1
    start_up(data)
    assert query(url_in(data), "select count(*) from kept") == [(0,)]


def test_a_second_up_on_the_same_directory_is_refused_and_harms_nothing(start_up,
        sluice, directory):
    data = directory / "data"
    address = free_address()
    start_up(data, "--listen", address)
    for other in free_address(), address:  # an address that the first one has is not the reason
        run = sluice("up", "--data", data, "--listen", other)
        assert run.returncode == 1 and run.stderr.count("\n") == 1
        assert f"another sluice up runs on {data}: " in run.stderr
    assert query(url_in(data), "select 1") == [(1,)]


@pytest.mark.parametrize("name", ["long" * 25, "a,list"])
def test_a_path_that_sockets_cannot_have_gets_one_elsewhere(start_up, directory, name):
    data = directory / name
    up = start_up(data)
    socket_directory = pathlib.Path(query(url_in(data),
        "show unix_socket_directories")[0][0].strip('"'))
    assert data not in socket_directory.parents
    assert up.stop() == 0
    assert not socket_directory.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="needs a second account")
def test_nobody_else_answers_at_its_address_once_it_has_ended(start_up, sluice, directory):
    """The attack: a socket's directory in /tmp is gone with `up`, and its name stands in `env`,
    where everybody reads it."""
    data = directory / ("long" * 25)
    up = start_up(data)
    url = url_in(data)
    place = pathlib.Path(query(url, "show unix_socket_directories")[0][0].strip('"'))
    assert up.stop() == 0
    place.mkdir()
    try:
        with socket.socket(socket.AF_UNIX) as listener:  # root's, where `postgres` has been
            listener.bind(str(place / ".s.PGSQL.5432"))
            listener.listen()
            run = sluice("submit", "--model", "m", "--prompt", "for our server",
                env={"DATABASE_URL": url})
            assert run.returncode == 4 and "requirepeer" in run.stderr
    finally:
        shutil.rmtree(place)


def test_a_path_with_spaces_and_quotes_works(start_up, directory):
    data = directory / "it's a \"path\" & more@home"
    start_up(data)
    # '%27' in the URL keeps the single quotes of the shell line whole.
    assert query(url_in(data), "select 1") == [(1,)]


def test_tcp_is_there_only_when_asked_for_and_wants_the_password(start_up, directory):
    data = directory / "data"
    port = free_address().split(":")[1]
    start_up(data, "--pg-port", port)
    tcp = f"host=127.0.0.1 port={port} user=sluice dbname=sluice"
    password = (data / "password").read_text().strip()
    assert (data / "password").stat().st_mode & 0o077 == 0
    assert query(f"{tcp} password={password}", "select 1") == [(1,)]
    with pytest.raises(Exception, match="password"):
        query(tcp + " passfile=/dev/null", "select 1")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root changes the account")
def test_a_directory_closed_to_the_servers_account_is_named(sluice, directory):
    closed = directory / "closed"
    closed.mkdir(mode=0o700)
    run = sluice("up", "--data", closed / "data", "--listen", free_address())
    assert run.returncode == 3 and str(closed / "data") in run.stderr and "--data" in run.stderr


def test_an_address_that_is_taken_is_found_before_a_database_is_made(sluice, directory):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = "127.0.0.1:%d" % taken.getsockname()[1]
        run = sluice("up", "--data", directory / "data", "--listen", address)
    assert run.returncode == 3 and address in run.stderr and run.stderr.count("\n") == 1
    assert "in use already; --listen takes another" in run.stderr
    assert not (directory / "data").exists()


def test_a_port_of_postgresql_that_is_taken_is_named_with_its_flag(sluice, directory):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        run = sluice("up", "--data", directory / "data", "--listen", free_address(), "--pg-port",
            port)
    assert (run.returncode, run.stderr) == (3, f"sluice: cannot listen on 127.0.0.1:{port}: "
        "in use already; --pg-port takes another\n")


def test_without_a_database_the_one_of_up_here_is_hinted_at(sluice, directory):
    (directory / "sluice-data").mkdir()
    (directory / "sluice-data" / "env").write_text("export DATABASE_URL='...'\n")
    run = sluice("status", cwd=directory, env={"PGHOST": str(directory)})
    assert run.returncode == 4 and ". ./sluice-data/env" in run.stderr and run.stderr.count(
        "\n") == 1


def test_nobody_else_may_write_to_what_it_makes_whatever_the_umask(started, directory):
    former = os.umask(0)
    try:
        up = started("up", "--data", directory / "parent" / "data", "--listen", free_address())
    finally:
        os.umask(former)
    wait_for(lambda: (directory / "parent" / "data" / "lock").exists() or not up.running(),
        what="the lock file")
    for made in ("parent", "parent/data", "parent/data/lock"):
        assert (directory / made).stat().st_mode & 0o022 == 0
    assert up.stop() == 0


def test_under_nohup_a_closed_terminal_ends_nothing(started, directory):
    up = started(BINARY, "up", "--data", directory / "data", "--listen", free_address(),
        binary="/usr/bin/nohup")
    wait_for(lambda: (directory / "data" / "lock").exists(), what="the lock file")
    up.signal(signal.SIGHUP)
    up.wait_for_output("export DATABASE_URL=")
    assert up.stop() == 0


def test_a_named_pipe_in_the_cluster_keeps_nobody_waiting(sluice, directory):
    (directory / "data" / "pgdata").mkdir(parents=True)
    os.mkfifo(directory / "data" / "pgdata" / "PG_VERSION")
    run = sluice("up", "--data", directory / "data", "--listen", free_address())
    assert run.returncode == 3 and "pgdata holds no cluster" in run.stderr


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGHUP])
def test_a_stop_signal_during_the_start_is_not_lost(started, directory, stop):
    up = started("up", "--data", directory / "data", "--listen", free_address())
    wait_for(lambda: (directory / "data" / "lock").exists(), what="the lock file")
    up.signal(stop)
    assert up.wait(60) == 0
    assert not (directory / "data" / "pgdata" / "postmaster.pid").exists()


def test_a_queue_without_http_requests_takes_three_sessions(directory, start_up, mock):
    up = start_up(directory / "data", "--without-keys")
    url, port = url_in(directory / "data"), int(Monitor(up).address.rpartition(":")[2])
    wait_for(lambda: http(port, "GET", "/readyz").status == 200, what="readiness")
    add_model(url, "m", mock("--latency", "20ms-50ms").url)
    submit_many(url, [f"prompt {i}" for i in range(100)])
    most = 0

    def count_and_ask():
        nonlocal most
        most = max(most, query(url,
            "select count(*) from pg_stat_activity where application_name = 'sluice'")[0][0])
        return statuses(url).get("solved") == 100
    wait_for(count_and_ask, what="the results")
    assert most == 3
    # Requests that find it busy have more of them.
    bodies = [{"model": "m", "prompt": f"over HTTP {i}"} for i in range(100)]
    with concurrent.futures.ThreadPoolExecutor(20) as clients:
        replies = list(clients.map(lambda body: http(port, "POST",
            "/v1/tasks?wait=30", body), bodies))
    assert {reply.status for reply in replies} <= {200, 201, 202}
