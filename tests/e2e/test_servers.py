"""A URL with several servers: mute ones, standbys and slow names are passed, and the loop goes on
meanwhile."""
import re
import socket
import threading
import time
import urllib.parse

import pytest
from conftest import Monitor, http, private_postgres, query, wait_for
from name_server_tools import LOOK_UP_S, slow_name_server
from queue_tools import add_model, submit, wait_ended

TIMEOUT_S = 3


def behind(first, url, port=5432):
    """The URL of the server `first` and then that of `url`, whose sockets are at the default
    port."""
    parts = urllib.parse.urlsplit(url)
    directory = dict(urllib.parse.parse_qsl(parts.query))["host"]
    return (f"postgresql://{parts.path}?host={first},{directory}&port={port},5432&user=sluice"
            f"&connect_timeout={TIMEOUT_S}")


class MuteServer:
    """It takes connections and says nothing; with a full backlog it does not even take them."""

    def __init__(self, full):
        self.socket = socket.socket()
        self.socket.bind(("127.0.0.1", 0))
        self.socket.listen(0 if full else 100)
        self.port = self.socket.getsockname()[1]
        self.connections = []
        if full:
            self.fill()
        else:
            threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                self.connections.append(self.socket.accept()[0])
            except OSError:
                return

    def fill(self):
        for _ in range(3):
            filler = socket.socket()
            filler.setblocking(False)
            filler.connect_ex(("127.0.0.1", self.port))
            self.connections.append(filler)

    def close(self):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        for connection in self.connections:
            connection.close()


@pytest.fixture(params=[False, True], ids=["accepting", "full"])
def mute(request):
    server = MuteServer(request.param)
    yield server
    server.close()


class HealthWatch:
    """Asks a worker for its health again and again; `worst_s` is the slowest answer."""

    def __init__(self, process):
        self.monitor, self.worst_s, self.answers = Monitor(process), 0.0, 0

    def ask(self):
        begun = time.monotonic()
        assert self.monitor.get("/healthz")[0] == 200
        self.worst_s = max(self.worst_s, time.monotonic() - begun)
        self.answers += 1


def registered(url):
    return query(url, "select 1 from sluice.workers where alive")


def test_a_mute_first_server_is_passed_and_not_asked_again(pg, mock, worker, mute):
    url, backend = pg.database(), mock()
    add_model(url, "m", backend.url)
    process = worker(behind("127.0.0.1", url, mute.port), "--http", "127.0.0.1:0")
    watch = HealthWatch(process)
    wait_for(lambda: watch.ask() or registered(url), 30, "the worker past the mute server")
    submit(url, "hello")
    assert wait_ended(url, 1) == {"solved": 1}
    asked = len(mute.connections)
    # Its sessions are lost: the next ones begin with the server that answered.
    sessions = ("from pg_stat_activity where application_name = 'sluice' and datname = "
        "current_database() and pid <> pg_backend_pid()")
    lost = [pid for pid, _ in query(url, f"select pid, pg_terminate_backend(pid) {sessions}")]
    wait_for(lambda: query(url, f"select count(*) {sessions} and pid <> all (%s)", [lost])
        == [(len(lost),)], TIMEOUT_S * 0.8, "the sessions")
    submit(url, "again")
    assert wait_ended(url, 2) == {"solved": 2}
    assert len(mute.connections) == asked
    assert watch.worst_s < TIMEOUT_S * 0.8


def test_a_server_passes_a_mute_database_too(pg, server, mute):
    front = server(behind("127.0.0.1", pg.database(), mute.port))
    assert http(front.port, "GET", "/readyz").status == 200


def test_a_standby_listed_first_is_passed(pg, mock, worker, sluice):
    url, backend = pg.database(), mock()
    add_model(url, "m", backend.url)
    standby = private_postgres.PrivatePostgres(fsync=False)
    try:
        standby.start()
        query(standby.url(), f"create database {urllib.parse.urlsplit(url).path[1:]}")
        standby.stop()
        (standby.directory / "data" / "standby.signal").touch()
        standby.start()
        assert query(standby.url(), "select pg_is_in_recovery()") == [(True,)]
        both = behind(standby.directory, url)
        worker(both)
        done = sluice("submit", "--database-url", both, "--model", "m", "--prompt", "hello")
        assert done.returncode == 0, done.stderr
        assert wait_ended(url, 1) == {"solved": 1}
    finally:
        standby.remove()


def test_a_slow_name_server_holds_up_neither_loop_nor_end(pg, mock, worker, tmp_path):
    url, backend, slow = pg.database(), mock(), slow_name_server(tmp_path)
    add_model(url, "m", backend.url)
    submit(url, "hello")
    process = worker(behind("slow.example", url), "--http", "127.0.0.1:0", env=slow)
    begun = time.monotonic()
    watch = HealthWatch(process)
    wait_for(lambda: watch.ask() or registered(url), LOOK_UP_S, "the worker past the slow name")
    assert wait_ended(url, 1) == {"solved": 1}
    assert watch.worst_s < TIMEOUT_S * 0.8 and watch.answers > 5
    metrics = watch.monitor.get("/metrics")[1]
    ticks, in_time = (
        int(re.search(rf"^sluice_event_loop_lag_seconds_{name} (\d+)", metrics, re.M)[1])
        for name in ("count", r'bucket{le="5"}'))
    assert ticks == in_time
    assert process.stop(timeout_s=LOOK_UP_S) == 0
    assert time.monotonic() - begun < LOOK_UP_S, "ended while the look-up was still under way"


def test_a_worker_that_still_looks_for_its_database_stops_at_once(worker, tmp_path):
    process = worker("postgresql://slow.example/db?connect_timeout=5", "--http", "127.0.0.1:0",
                     env=slow_name_server(tmp_path))
    Monitor(process)
    begun = time.monotonic()
    assert process.stop() == 0
    assert time.monotonic() - begun < 4  # of the five that it may look


@pytest.mark.parametrize("command", [
    "worker", "serve --without-keys", "status", "top", "tasks", "task 1", "explain 1", "cancel 1",
    "redrive 1", "dead-letters",
    "model ls", "route ls", "tenant ls", "key ls", "doctor", "submit --prompt hello", "migrate",
    "migrate status", "psql"])
def test_a_malformed_url_is_bad_configuration_for_every_command(sluice, command):
    done = sluice(*command.split(), env={"DATABASE_URL": "postgresql://me:hu%sh@host/db"})
    assert done.returncode == 3, done.stderr
    assert done.stdout == "" and done.stderr.count("\n") == 1
    assert "a % stands before something else" in done.stderr and "hu%sh" not in done.stderr


class RefusingServer:
    """Takes connections at a port and hangs up."""

    def __init__(self, port):
        self.refused = 0
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(("127.0.0.1", port))
        self.socket.listen(100)
        threading.Thread(target=self.refuse, daemon=True).start()

    def refuse(self):
        while True:
            try:
                self.socket.accept()[0].close()
            except OSError:
                return
            self.refused += 1

    def close(self):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()


def test_a_database_that_is_away_is_one_line_and_one_when_it_is_back(pooler, mock, worker, server):
    add_model(pooler.direct_url, "m", mock().url)
    processes = [worker(pooler.url), server(pooler.url)]
    wait_for(lambda: registered(pooler.direct_url), what="the worker")
    said = [process.stderr() for process in processes]
    pooler.kill()
    refusing = RefusingServer(pooler.port)
    try:
        wait_for(lambda: refusing.refused >= 30, what="attempts of both")
    finally:
        refusing.close()
    pooler.start()
    for process, before in zip(processes, said):
        wait_for(lambda: "is back after" in process.stderr(), what="the database")
        # Besides, a server says of its breaker that it opens and closes.
        lines = [line for line in process.stderr().removeprefix(before).splitlines()
                 if "failures of the database in a row" not in line
                 and "the database works again" not in line]
        assert [line.split(" ", 2)[1] for line in lines[:2]] == ["warning", "info"], lines
        assert "lost the database, trying again: " in lines[
            0] and "the database is back after " in lines[1]
        assert all("polling once a second" in line for line in lines[2:]), lines
    submit(pooler.direct_url, "hello")
    assert wait_ended(pooler.direct_url, 1) == {"solved": 1}


def test_an_address_that_is_taken_is_all_that_a_server_complains_of(sluice, pg):
    url = pg.database()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = "127.0.0.1:%d" % taken.getsockname()[1]
        run = sluice("serve", "--listen", address, "--database-url", url)
    assert run.returncode == 3 and address in run.stderr
    assert run.stderr.count("\n") == 1, run.stderr
