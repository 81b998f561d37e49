"""Fixtures of the end-to-end tests: a PostgreSQL, the binary, a mock backend, workers.

Everything that is started is ended by its process id at teardown. Nothing sleeps to be right:
wait_for() waits for a condition with a deadline.
"""
import contextlib
import functools
import http.client as http_client
import importlib.machinery
import importlib.util
import itertools
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

import psycopg2
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = pathlib.Path(os.environ.get("SLUICE_BINARY", ROOT / "build" / "sluice"))
is_instrumented = b"__asan_init" in BINARY.read_bytes()
RUN_TIMEOUT_S = 120
STOP_TIMEOUT_S = 30
# Fixed names, so that workers of one machine never meet the caller's settings.
CALLERS_SETTINGS = ("SLUICE_", "PG", "DATABASE_URL", "OTEL_", "COLUMNS", "LINES")


def unless_instrumented(test):
    """Marks a test. Builds with sanitizers have memory of their own beside what is asked for, none
    of the hardening, and read themselves at the end."""
    return pytest.mark.plain_build_only(
        pytest.mark.skipif(is_instrumented, reason="a build with sanitizers")(test))


def load_script(name):
    loader = importlib.machinery.SourceFileLoader(name, str(ROOT / "scripts" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


private_postgres = load_script("private_postgres")

# Told to end, pytest tears down what it started, as after Ctrl-C.
signal.signal(signal.SIGTERM, signal.default_int_handler)


def free_port():
    """A port of 127.0.0.1 for somebody else to listen on. From below those that the system itself
    gives to connections and to who asks for any: one of these may be gone by then."""
    while True:
        port = random.randint(10_000, 32_000)
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port


def clean_environment(extra=()):
    kept = {name: value for name, value in os.environ.items()
        if not name.startswith(CALLERS_SETTINGS)}
    return kept | dict(extra)


def wait_for(condition, deadline_s=20.0, what="the condition"):
    """Calls condition until it returns something true, and returns that. Most conditions connect to
    PostgreSQL: the longer it has waited, the less often it looks, and so is late by 5 % at most."""
    begun = time.monotonic()
    while not (found := condition()):
        waited_s = time.monotonic() - begun
        assert waited_s < deadline_s, f"waited {deadline_s} s for {what}"
        time.sleep(min(max(0.02, waited_s / 20), 0.2))
    return found


def memory_bytes(pid, field="VmRSS"):
    """A field of /proc/PID/status: VmRSS, what is resident now; VmHWM, at most so far."""
    with open(f"/proc/{pid}/status") as status:
        return int(re.search(rf"^{field}:\s+(\d+) kB", status.read(), re.M)[1]) * 1024


def connect(url):
    connection = psycopg2.connect(url)
    connection.autocommit = True
    return connection


def query(url, sql, parameters=None):
    """Runs one statement on a connection of its own; the rows, or None."""
    connection = connect(url)
    try:
        with connection.cursor() as cursor:
            cursor.execute(sql, parameters)
            return cursor.fetchall() if cursor.description else None
    finally:
        connection.close()


def begin():
    """In a started process: it ends with the tests, and hears signals also if they run by nohup."""
    private_postgres.die_with_parent(signal.SIGKILL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


class Process:
    """A started `sluice …`: its output goes to files; ends at teardown, whatever its state."""

    def __init__(self, arguments, directory, env=(), cwd=None, binary=BINARY):
        directory.mkdir(parents=True, exist_ok=True)
        self.stdout_path, self.stderr_path = directory / "stdout", directory / "stderr"
        with open(self.stdout_path, "wb") as out, open(self.stderr_path, "wb") as err:
            self.process = subprocess.Popen([binary, *map(str, arguments)],
                stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=clean_environment(env),
                cwd=cwd, preexec_fn=begin)
        self.pid = self.process.pid

    def stdout(self):
        return self.stdout_path.read_text()

    def stderr(self):
        return self.stderr_path.read_text()

    def running(self):
        return self.process.poll() is None

    def signal(self, number):
        self.process.send_signal(number)

    def kill(self):
        """kill -9, and reap."""
        self.process.kill()
        self.process.wait()

    def freeze(self):
        self.signal(signal.SIGSTOP)

    def resume(self):
        self.signal(signal.SIGCONT)

    def wait(self, timeout_s=STOP_TIMEOUT_S):
        """The exit code."""
        return self.process.wait(timeout_s)

    def stop(self, timeout_s=STOP_TIMEOUT_S):
        """SIGTERM, and the exit code."""
        self.signal(signal.SIGTERM)
        return self.wait(timeout_s)

    def wait_for_output(self, text, deadline_s=60.0):
        def seen():
            assert text in self.stdout() or self.running(), (
                f"ended before {text!r}: {self.stderr()}")
            return text in self.stdout()
        wait_for(seen, deadline_s, f"{text!r} on stdout")

    def end(self):
        if self.running():
            self.resume()
            self.kill()


@contextlib.contextmanager
def processes_below(directory):
    """A function that starts `sluice ARGUMENTS…` as a Process; they end with the context."""
    processes = []

    def start(*arguments, env=(), cwd=None, binary=BINARY):
        process = Process(arguments, directory / f"process-{len(processes)}", env, cwd, binary)
        processes.append(process)
        return process
    try:
        yield start
    finally:
        for process in processes:
            process.end()


@pytest.fixture
def started(tmp_path):
    """A function that starts `sluice ARGUMENTS…` as a Process."""
    with processes_below(tmp_path) as start:
        yield start


@pytest.fixture(scope="module")
def started_once(tmp_path_factory):
    """The same for what all tests of a file share."""
    with processes_below(tmp_path_factory.mktemp("shared")) as start:
        yield start


@pytest.fixture(scope="session")
def sluice():
    """A function that runs `sluice ARGUMENTS…` to its end: returncode, stdout, stderr as text."""
    def run(*arguments, env=(), input=None, timeout_s=RUN_TIMEOUT_S, cwd=None):
        # Without input: end of file, never the caller's terminal.
        return subprocess.run([BINARY, *map(str, arguments)], env=clean_environment(env),
            input=input or "", capture_output=True, text=True, timeout=timeout_s, cwd=cwd)
    run.path = BINARY
    return run


class Databases:
    """The databases of one private server; each is a copy of a migrated template."""

    def __init__(self, server):
        self.server = server
        self.names = (f"test_{number}" for number in itertools.count())
        self.template_is_made = False

    def url(self, name):
        return self.server.url(name)

    def stop(self, mode="fast"):
        self.server.stop(mode)

    def start(self):
        self.server.start()

    def empty_database(self, options=""):
        name = next(self.names)
        # Copied as files it takes half of what it takes to copy and log pages.
        query(self.url("postgres"), f"create database {name} strategy file_copy {options}")
        return self.url(name)

    def database(self):
        """The URL of a fresh database with Sluice's schema in it."""
        if not self.template_is_made:
            query(self.url("postgres"), "create database sluice_template")
            subprocess.run([BINARY, "migrate", "--database-url", self.url("sluice_template")],
                check=True, stdout=subprocess.DEVNULL, env=clean_environment())
            # As where `sluice up` made it: a test that is not about models need not name one.
            query(self.url("sluice_template"),
                "update sluice.settings set default_model = 'any'; delete from sluice.audit")
            self.template_is_made = True
        return self.empty_database("template sluice_template")


DATABASE_BYTES = 12 << 20


@contextlib.contextmanager
def databases_of_a_server(tests=1):
    """A private server's, from its start to its removal. Params: tests: how many there are, on all
    servers; most make a database, and leave it."""
    # The writes of a killed server are with the kernel: only a power cut, which no test plays,
    # needs a disk.
    parent = private_postgres.roomy_parent(private_postgres.ROOM_BYTES + tests * DATABASE_BYTES)
    server = private_postgres.PrivatePostgres(fsync=False, parent=parent)
    try:
        server.start()
        yield Databases(server)
    finally:
        server.remove()


@pytest.fixture(scope="session")
def pg(request):
    with databases_of_a_server(len(request.session.items)) as databases:
        yield databases


class Pooler:
    """PgBouncer before PostgreSQL's Unix socket."""

    def __init__(self, url, mode="transaction"):
        self.directory = tempfile.mkdtemp(prefix="sluice-pooler-", dir="/tmp")
        server = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))["host"]
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        settings = os.path.join(self.directory, "pgbouncer.ini")
        with open(settings, "w") as file:
            file.write(f"[databases]\n* = host={server} user=sluice\n[pgbouncer]\nlisten_addr = "
                f"127.0.0.1\nlisten_port = {self.port}\nunix_socket_dir =\nauth_type = "
                f"any\npool_mode = {mode}\n")
        os.chmod(self.directory, 0o755)
        account = ["-u", "postgres"] if os.geteuid() == 0 else []
        self.command = ["/usr/sbin/pgbouncer", "-q", *account, settings]
        self.start()
        self.url = f"postgresql://sluice@127.0.0.1:{self.port}{urllib.parse.urlsplit(url).path}"

    def start(self):
        self.process = subprocess.Popen(self.command, stderr=subprocess.DEVNULL,
                                        preexec_fn=private_postgres.die_with_parent)
        wait_for(self.answers, what="PgBouncer")

    def answers(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def kill(self):
        self.process.kill()
        self.process.wait()

    def close(self):
        self.kill()
        shutil.rmtree(self.directory)


@pytest.fixture
def pooler(pg):
    url = pg.database()
    pooler = Pooler(url)
    pooler.direct_url = url
    yield pooler
    pooler.close()


class Monitor:
    """The health address of a worker."""

    def __init__(self, process):
        found = wait_for(lambda: re.search(r"metrics on (http://\S+)", process.stderr()),
            what="the health address")
        self.address = found[1]

    def get(self, path):
        try:
            with urllib.request.urlopen(self.address + path, timeout=30) as reply:
                return reply.status, reply.read().decode()
        except urllib.error.HTTPError as reply:
            return reply.code, reply.read().decode()

    def ready(self):
        status, body = self.get("/readyz")
        return status, json.loads(body)

    def wait_until(self, wakeups, status):
        wait_for(lambda: self.ready()[0] == status and self.ready()[1]["wakeups"] == wakeups,
            20, f"{wakeups}")

    def listen_modes(self):
        return dict(
            re.findall(r'^sluice_listen_mode\{mode="(\w+)"\} (\d)', self.get("/metrics")[1], re.M))


class Mock:
    """A running mock backend."""

    def __init__(self, process, url, log_path):
        self.process, self.url, self.log_path = process, url, log_path

    def arrivals(self):
        """What arrived so far, oldest first, as the mock logged it."""
        if not self.log_path.exists():
            return []
        # the last one may still be in the writing
        lines = self.log_path.read_text().split("\n")[:-1]
        return [json.loads(line) for line in lines]


@pytest.fixture
def mock(started, tmp_path):
    """A function that starts `sluice mock` with further flags, on a free port unless it is told
    one."""
    numbers = itertools.count()

    def start(*flags, port=0):
        log_path = tmp_path / f"mock-{next(numbers)}.jsonl"
        process = started("mock", "--listen", f"127.0.0.1:{port}", "--log", log_path, *flags)
        process.wait_for_output("listening on http://")
        line = next(line for line in process.stdout().splitlines()
            if line.startswith("listening on "))
        return Mock(process, line.removeprefix("listening on ").strip(), log_path)
    return start


@pytest.fixture
def worker(started):
    """A function that starts `sluice worker` on a database."""
    return lambda url, *flags, env=(): started("worker", "--database-url", url, *flags, env=env)


def serve(start, url, *flags, keys=False, env=()):
    """Starts `sluice serve`, and waits until it is ready; without keys unless told otherwise."""
    flags = flags if keys else ("--without-keys", *flags)
    process = start("serve", "--database-url", url, "--listen", "127.0.0.1:0", *flags, env=env)
    process.wait_for_output("listening on http://")
    process.port = int(process.stdout().split("listening on http://127.0.0.1:")[1].split()[0])
    wait_for(lambda: http(process.port, "GET", "/readyz").status == 200, what="readiness")
    return process


@pytest.fixture
def server(started):
    """A function that starts `sluice serve` on a database, as serve() does."""
    return functools.partial(serve, started)


class Reply:
    """What an HTTP server answered."""

    def __init__(self, response):
        self.status, self.headers, self.body = (response.status, response.headers,
            response.read().decode())

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def error(self):
        return self.json["error"]["type"]


def http(port, method, path, body=None, key=None, headers=(), timeout_s=90):
    """One request on a connection of its own; a body that is no text is sent as JSON."""
    connection = http_client.HTTPConnection("127.0.0.1", port, timeout=timeout_s)
    text = body if body is None or isinstance(body, (str, bytes)) else json.dumps(body)
    bearer = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        connection.request(method, path, text, bearer | dict(headers))
        return Reply(connection.getresponse())
    finally:
        connection.close()
