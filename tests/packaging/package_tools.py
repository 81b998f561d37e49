"""Roots that hold a package and little else, a PostgreSQL on loopback, and backends, for the tests
of packages. Everything that is started ends with its test."""
import contextlib
import importlib.machinery
import importlib.util
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import time

import psycopg2
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
AS_ROOT = [] if os.geteuid() == 0 else ["sudo"]
USER = "65532:65532"
RUN_TIMEOUT_S = 60
# The mount is of the namespace that unshare makes, and goes with it.
READ_ONLY = ["unshare", "--mount", "--", "bash", "-euc", 'mount --bind "$0" "$0"; '
    'mount -o remount,bind,ro "$0"; exec chroot --userspec="$1" "$0" "${@:2}"']


def load_script(name):
    loader = importlib.machinery.SourceFileLoader(name, str(ROOT / "scripts" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


private_postgres = load_script("private_postgres")


def free_port():
    while True:
        port = random.randint(10_000, 32_000)
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port


def wait_for(condition, deadline_s=30.0, what="the condition"):
    deadline = time.monotonic() + deadline_s
    while not (found := condition()):
        assert time.monotonic() < deadline, f"waited {deadline_s} s for {what}"
        time.sleep(0.05)
    return found


class Program:
    """A program in a root, by a user without rights."""

    def __init__(self, root, program, read_only=False):
        self.root, self.program, self.read_only = root, program, read_only
        self.started = []

    def command(self, *arguments, **environment):
        variables = [f"{name}={value}" for name, value in environment.items()]
        if self.read_only:
            way = [*READ_ONLY, self.root, USER]
        else:
            way = ["chroot", f"--userspec={USER}", self.root]
        return [*AS_ROOT, "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", *variables, *way,
            self.program, *map(str, arguments)]

    def run(self, *arguments, expected=0, **environment):
        done = subprocess.run(self.command(*arguments, **environment), text=True,
            stdin=subprocess.DEVNULL, capture_output=True, timeout=RUN_TIMEOUT_S)
        assert done.returncode == expected, done
        return done

    def start(self, *arguments, **environment):
        process = subprocess.Popen(self.command(*arguments, **environment), text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            preexec_fn=private_postgres.die_with_parent)
        self.started.append(process)
        return process

    def stop(self):
        for process in self.started:
            process.send_signal(signal.SIGTERM)
        for process in self.started:
            try:
                process.communicate(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
        self.started.clear()


def first_line(process, word):
    """The first line of its output with that word; its end is an error."""
    for line in process.stdout:
        if word in line:
            return line.strip()
    raise AssertionError(f"it ended before it said {word}")


@contextlib.contextmanager
def postgres_on_loopback():
    """The URL of a new database."""
    port = free_port()
    server = private_postgres.PrivatePostgres(fsync=False,
        settings=["listen_addresses=127.0.0.1", f"port={port}"])
    os.environ["PGPORT"] = str(port)  # of pg_isready
    try:
        server.start()
        yield f"postgresql://sluice@127.0.0.1:{port}/postgres"
    finally:
        del os.environ["PGPORT"]
        server.remove()


def query(url, sql):
    connection = psycopg2.connect(url)
    try:
        connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute(sql)
            return cursor.fetchall() if cursor.description else None
    finally:
        connection.close()


def make_authority(folder, name):
    """A certificate authority: its certificate and key."""
    certificate, key = folder / f"{name}.pem", folder / f"{name}.key"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
        "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", f"/CN={name}",
        "-addext", "keyUsage=critical,keyCertSign", "-keyout", key, "-out", certificate],
        check=True, capture_output=True)
    return certificate, key


def make_certificate(folder, authority):
    """For 127.0.0.1: key and certificate."""
    key, certificate = folder / "server.key", folder / "server.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
        "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=server", "-CA",
        authority[0], "-CAkey", authority[1], "-addext", "basicConstraints=critical,CA:FALSE",
        "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate],
        check=True, capture_output=True)
    return key, certificate


@contextlib.contextmanager
def tls_backend(key, certificate):
    """The URL of a backend that answers /solve over HTTPS."""
    server = subprocess.Popen([sys.executable, ROOT / "tests/e2e/tls_backend.py", key, certificate,
        "0"], stdout=subprocess.PIPE, text=True, preexec_fn=private_postgres.die_with_parent)
    try:
        yield first_line(server, "listening on ").split()[-1]
    finally:
        server.kill()
        server.communicate()


def make_root(folder, files):
    """A root of these files, by their paths in it."""
    for path, source in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, folder / path)
    folder.chmod(0o755)
    return folder


def require_built(path):
    if not path.exists():
        pytest.exit(f"{path} is not there: scripts/package builds it", returncode=1)
    return path
