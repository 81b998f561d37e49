"""The quota and the queue's bounds, seen by the backend: an independent witness."""
import contextlib
import math
import queue
import socket
import struct
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import pytest
from conftest import Databases, private_postgres, query, wait_for
from queue_tools import add_model, submit_many, wait_ended

pytestmark = pytest.mark.plain_build_only


def worst_window(times, length_ns):
    most = first = 0
    for last, t in enumerate(times):
        while t - times[first] >= length_ns:
            first += 1
        most = max(most, last - first + 1)
    return most


def assert_within_bounds(times, rpm):
    burst = 1 + rpm // 100
    interval_ns = math.ceil(60.25e9 / (rpm - burst + 1))
    for length_s in (0.2, 1, 3, 5):
        most = worst_window(times, int(length_s * 1e9))
        assert most <= burst + math.ceil(
            length_s * 1e9 / interval_ns), f"{most} in {length_s} s at {rpm} rpm"


def test_two_workers_keep_one_quota_and_follow_a_change(pg, mock, worker):
    url, backend = pg.database(), mock()
    add_model(url, "m", backend.url, rpm=600)
    submit_many(url, [f"prompt {i}" for i in range(900)])
    for _ in range(2):
        worker(url)
    wait_for(lambda: len(backend.arrivals()) >= 50, 20, "the first permits")
    query(url, "update sluice.models set rpm = 3000")
    changed = time.monotonic_ns()
    wait_for(lambda: len(backend.arrivals()) >= 300, 20, "the higher rate")
    assert time.monotonic_ns() - changed < 9e9  # 250 more: 25 s at the old rate
    arrivals = backend.arrivals()
    assert all(a["status"] == 200 for a in arrivals)
    times = [a["t_ns"] for a in arrivals]
    assert_within_bounds([t for t in times if t < changed], 600)
    assert_within_bounds([t for t in times if t > changed], 3000)
    after = [t for t in times if t > changed]
    steady = (len(after) - 1) / ((after[-1] - after[0]) / 60e9)
    assert steady >= 0.9 * 3000, f"{steady:.0f} a minute"


def test_after_a_crash_the_bucket_starts_empty_and_recovers(pg, mock, worker):
    url, backend = pg.database(), mock()
    add_model(url, "m", backend.url, rpm=600)
    query(url, "checkpoint")  # recovery need not replay the databases of other tests
    submit_many(url, [f"prompt {i}" for i in range(3000)])
    worker(url)
    wait_for(lambda: len(backend.arrivals()) >= 10, 20, "the burst")
    pg.stop("immediate")
    pg.start()
    before = len(backend.arrivals())
    wait_for(lambda: len(backend.arrivals()) >= before + 20, 30, "permits after the crash")
    assert_within_bounds([a["t_ns"] for a in backend.arrivals()], 600)


def carry(source, target, delay_s):
    """Passes on what comes from `source`, so much later, until it ends."""
    pending = queue.Queue()

    def pass_on():
        with contextlib.suppress(OSError):
            while (piece := pending.get()) is not None:
                time.sleep(max(0, piece[0] - time.monotonic()))
                target.sendall(piece[1])
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_RDWR)
    passer = threading.Thread(target=pass_on)
    passer.start()
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            pending.put((time.monotonic() + delay_s, data))
    pending.put(None)
    passer.join()


@contextlib.contextmanager
def slow_way(directory, delay_s):
    """A directory with a socket in front of the PostgreSQL in `directory`, whose answers come so
    much later: to a worker they look as on a machine that is overloaded."""
    name = ".s.PGSQL.5432"
    threads, ends = [], []
    with tempfile.TemporaryDirectory(prefix="sluice-way-", dir="/tmp") as front:
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(f"{front}/{name}")
        listener.listen()

        def serve():
            with contextlib.suppress(OSError):
                while True:
                    client, server = listener.accept()[0], socket.socket(socket.AF_UNIX)
                    server.connect(f"{directory}/{name}")
                    ends.extend((client, server))
                    threads.extend(threading.Thread(target=carry, args=way)
                        for way in ((client, server, 0), (server, client, delay_s)))
                    for thread in threads[-2:]:
                        thread.start()
        server = threading.Thread(target=serve)
        server.start()
        try:
            yield front
        finally:
            for end in (listener, *ends):
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
            for thread in (server, *threads):
                thread.join(10)
            for end in (listener, *ends):
                end.close()


def test_a_worker_whose_claims_take_long_makes_progress_within_the_quota(pg, mock, worker):
    """Permits of the usual 200 ms would all be forfeited, for ever (D-380)."""
    url, backend = pg.database(), mock()
    add_model(url, "m", backend.url, rpm=600)
    submit_many(url, [f"prompt {i}" for i in range(300)])
    with slow_way(pg.server.directory, 0.3) as front:
        late = worker(url.replace(str(pg.server.directory), front))
        wait_for(lambda: len(backend.arrivals()) >= 40, 60, "calls")
        assert late.stop() == 0
    times = [a["t_ns"] for a in backend.arrivals()]
    interval_ns = math.ceil(60.25e9 / (600 - 7 + 1))
    for length_s in (1, 3, 5):  # what a longer permit takes from the bucket bounds these, too
        most = worst_window(times, int(length_s * 1e9))
        assert most <= 7 + math.ceil(
            (length_s + 0.25) * 1e9 / interval_ns), f"{most} in {length_s} s"


class JumpingServer:
    """A PostgreSQL whose clock the test sets."""

    def __init__(self, directory):
        library, self.ahead = directory / "jumping_clock.so", directory / "ahead_s"
        source = Path(__file__).with_name("jumping_clock.c")
        subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", library, source], check=True)
        self.ahead.write_bytes(struct.pack("=q", 0))
        for path in (library, self.ahead):
            path.chmod(0o755)
        self.server = private_postgres.PrivatePostgres(
            fsync=False, variables={"LD_PRELOAD": str(library), "JUMPING_CLOCK": str(self.ahead)})

    def jump(self, seconds):
        with open(self.ahead, "r+b") as file:  # in place: the server has it mapped
            file.write(struct.pack("=q", seconds))


@pytest.fixture
def jumping():
    # Not below pytest's directories, which the server's account may not enter.
    with tempfile.TemporaryDirectory(prefix="sluice-clock-", dir="/tmp") as directory:
        Path(directory).chmod(0o755)
        made = JumpingServer(Path(directory))
        try:
            made.server.start()
            yield made
        finally:
            made.server.remove()


def test_a_clock_that_jumps_ahead_earns_nothing(jumping, mock, worker):
    url, backend = Databases(jumping.server).database(), mock()
    add_model(url, "m", backend.url, rpm=6000)  # a second burst would be 61 calls
    submit_many(url, [f"prompt {i}" for i in range(1500)])
    workers = [worker(url) for _ in range(2)]
    for jumps in range(1, 5):
        wait_for(lambda: len(backend.arrivals()) >= 200 * jumps, 20, "permits")
        jumping.jump(3600 * jumps)
        assert query(url, "select clock_timestamp() > to_timestamp(%s)",
            [time.time() + 3600 * jumps - 60]) == [(True,)]
    wait_for(lambda: len(backend.arrivals()) >= 1000, 20, "permits after the last jump")
    times = [a["t_ns"] for a in backend.arrivals()]
    interval_ns = math.ceil(60.25e9 / (6000 - 61 + 1))
    for length_s in (3, 5, 8):  # a call may be sent up to 250 ms after its permit
        most = worst_window(times, int(length_s * 1e9))
        assert most <= 61 + math.ceil(
            (length_s + 0.25) * 1e9 / interval_ns), f"{most} in {length_s} s"
    assert all(w.running() for w in workers)
    assert any("clock has jumped ahead" in w.stderr() for w in workers)


def test_a_clock_that_is_set_right_again_keeps_nobody_waiting(jumping, mock, worker):
    url, backend = Databases(jumping.server).database(), mock()
    for model in ("killed", "throttled", "failing"):
        add_model(url, model, backend.url, backoff_base="1 s")
    query(url, "update sluice.settings set heartbeat_timeout = '3 s'")
    living = worker(url, "--models", "throttled,failing")
    killed = worker(url, "--models", "killed")
    jumping.jump(3600)
    submit_many(url, ["mock:delay=60s x"], model="killed")
    submit_many(url, ["mock:status=429;retry_after=2 x"], model="throttled")
    submit_many(url, ["mock:status=500 x"], model="failing")
    wait_for(lambda: query(url, "select count(*) from sluice.models where closed_until > now()")
        == [(1,)], what="the model's closure")
    wait_for(lambda: query(url, "select exists (select from sluice.later), count(*) from "
        "sluice.tasks where model = 'killed' and status = 'processing'") == [(True, 1)],
        what="a retry, and a call")
    killed.kill()
    jumping.jump(0)
    wait_for(lambda: query(url, "select count(*) from sluice.lease l join sluice.models m "
        "on m.id = l.model where m.name = 'killed'") == [(0,)], 30, "the lost call's return")
    # It is closed again and again, for as long as its backend asks.
    wait_for(lambda: query(url, "select count(*) from sluice.models "
        "where closed_until > now() + interval '1 minute'") == [(0,)], 30, "the model's opening")
    wait_for(lambda: query(url, "select count(*) from sluice.later "
        "where ready_at > now() + interval '10 minutes'") == [(0,)], 30, "the retry's time")
    assert living.running() and living.stderr().count("registered as worker") == 1
