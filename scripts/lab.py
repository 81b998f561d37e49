"""What the demo and the benches share: child processes, the mock backend's log, and the bounds it
is held against."""
import heapq
import json
import math
import os
import pathlib
import signal
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SLUICE = pathlib.Path(os.environ.get("SLUICE_BINARY", ROOT / "build" / "sluice"))
STOP_TIMEOUT_S = 40
START_TIMEOUT_S = 60
SEND_BY_NS = 250_000_000  # a permit may be used so long after its grant


class Process:
    """A child that is ended by its id."""

    def __init__(self, name, args, log, stdout=None):
        self.name = name
        self.log = open(log, "wb")
        self.child = subprocess.Popen([str(a) for a in args], stdout=stdout or self.log,
            stderr=self.log, stdin=subprocess.DEVNULL)

    def check(self):
        if self.child.poll() is not None:
            text = pathlib.Path(self.log.name).read_text(errors="replace")
            raise SystemExit(f"sluice: {self.name} ended with status "
                             f"{self.child.returncode}:\n{text[-2000:]}")

    def stop(self):
        if self.child.poll() is None:
            self.child.send_signal(signal.SIGTERM)
            try:
                self.child.wait(STOP_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                self.child.kill()
                self.child.wait()
        self.log.close()


class Mock(Process):
    """A mock backend on a free port; `url` once it listens."""

    def __init__(self, directory, *options):
        super().__init__("the mock", [SLUICE, "mock", "--listen", "127.0.0.1:0", *options],
            directory / "mock.err", subprocess.PIPE)
        self.url = self.child.stdout.readline().decode().strip().rpartition(" ")[2]
        self.check()


def wait_for(what, condition, timeout_s, processes):
    deadline = time.monotonic() + timeout_s
    while True:
        value = condition()
        if value:
            return value
        for process in processes:
            process.check()
        if time.monotonic() > deadline:
            raise SystemExit(f"sluice: {what} did not happen within {timeout_s} s")
        time.sleep(0.02)


def read_arrivals(path):
    """The mock's log: one dict per arrival, in order."""
    with open(path, encoding="utf-8") as log:
        return [json.loads(line) for line in log if line.endswith("\n")]


def settled_arrivals(path, count, processes):
    """The arrivals, once the mock has written at least `count`."""
    def enough():
        arrivals = read_arrivals(path)
        return arrivals if len(arrivals) >= count else None
    return wait_for("the mock's log", enough, START_TIMEOUT_S, processes)


def greedy_bound_s(latencies_s, slots):
    """The makespan of these latencies, in order of arrival, on `slots` slots with no overhead at
    all."""
    free = [0.0] * min(slots, len(latencies_s))
    for latency in latencies_s:
        heapq.heappush(free, heapq.heappop(free) + latency)
    return max(free)


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, math.ceil(share * len(ordered)) - 1)]


def worst_window(times, length_ns):
    """The most arrivals in any half-open window of that length."""
    most = first = 0
    for last, t in enumerate(times):
        while t - times[first] >= length_ns:
            first += 1
        most = max(most, last - first + 1)
    return most


def gcra(limit, window_ns=60 * 10**9, burst=None):
    """(burst, interval in ns) of a limit a window, as 3_limits/permits.sql says: at most burst +
    ceil(L / interval) in L."""
    burst = burst or 1 + limit // 100
    return burst, math.ceil((window_ns + SEND_BY_NS) / (limit - burst + 1))
