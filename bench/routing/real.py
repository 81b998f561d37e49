"""One worker, and a backend whose models change their speed while it answers, for real."""
import asyncio
import contextlib
import json
import pathlib
import random
import statistics
import tempfile
import threading
import time

import harness
from harness import run, value
from lab import SLUICE, Process, wait_for

PHASE_S = 40  # between changes; judged is the last quarter
CALLS_PER_S = 25
SECONDS = [{"a": 0.4, "b": 0.6, "c": 1.2}, {"a": 1.2, "b": 0.6, "c": 0.4},
    {"a": 0.4, "b": 0.6, "c": 1.2}]
SLOW = ["c", "a", "c"]
BEST = ["a", "c", "a"]


class Backend(contextlib.AbstractContextManager):
    """Answers POST with {"answer"} after its model's time, 70 to 130 % of it; `calls`: (begun,
    model, seconds)."""

    def __init__(self):
        self.seconds, self.calls = dict(SECONDS[0]), []
        self.loop = asyncio.new_event_loop()
        self.server = self.loop.run_until_complete(
            asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.server.sockets[0].getsockname()[1]}"
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()

    def __exit__(self, *_):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.server.close()
        self.loop.close()

    async def _serve(self, reader, writer):
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
                length = next(int(line.split(":")[1]) for line in head.split("\r\n")
                    if line.startswith("content-length:"))
                model = json.loads(await reader.readexactly(length))["model"]
                seconds = self.seconds[model] * random.uniform(0.7, 1.3)
                self.calls.append((time.monotonic(), model, seconds))
                await asyncio.sleep(seconds)
                body = b'{"answer":"' + b"a" * 400 + b'"}'
                writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
                    b"content-length: %d\r\n\r\n%s" % (len(body), body))
                await writer.drain()
        writer.close()


def submit_steadily(url, begin_s, seconds):
    with contextlib.closing(harness.connect(url)) as session:
        for n in range(int(CALLS_PER_S * seconds)):
            time.sleep(max(0.0, begin_s + n / CALLS_PER_S - time.monotonic()))
            run(session, "select sluice.submit('question', 'r')")


def play(server, prefer):
    """The calls of each phase's last quarter, and seconds from the last change until the model that
    recovered had half of the calls."""
    harness.progress(f"a real worker, {prefer}")
    url = server.database(f"real {prefer}")
    with tempfile.TemporaryDirectory(prefix="sluice-routing.") as name, Backend() as backend, \
            contextlib.closing(harness.connect(url)) as session:
        for model in SECONDS[0]:
            run(session, "insert into sluice.models (name, url) values (%s, %s)", model,
                backend.url)
            run(session, "insert into sluice.routes (route, model, prefer) values ('r', %s, %s)",
                model, prefer)
        worker = Process("the worker", [SLUICE, "worker", "--database-url", url],
            pathlib.Path(name) / "worker.log")
        try:
            wait_for("the registration", lambda: value(session,
                "select count(*) from sluice.workers"), 30, [worker])
            begin_s = time.monotonic()
            client = threading.Thread(target=submit_steadily,
                args=(url, begin_s, PHASE_S * len(SECONDS)))
            client.start()
            for n, seconds in enumerate(SECONDS):
                time.sleep(max(0.0, begin_s + n * PHASE_S - time.monotonic()))
                backend.seconds.update(seconds)
            client.join()
            worker.check()
        finally:
            worker.stop()
        calls = [(at_s - begin_s, model, seconds) for at_s, model, seconds in backend.calls]
    judged = [[c for c in calls if (n + 0.75) * PHASE_S <= c[0] < (n + 1) * PHASE_S]
        for n in range(len(SECONDS))]
    change_s = PHASE_S * (len(SECONDS) - 1)
    back_s = next((s - change_s + 3 for s in range(change_s, change_s + PHASE_S - 3)
        if (m := [c[1] for c in calls if s <= c[0] < s + 3]) and m.count("a") >= len(m) / 2), None)
    return judged, back_s


def measure(report, server):
    """Says how it went; returns what is to be met."""
    rows, targets = [], []
    for prefer in ("latency", "weight"):
        judged, back_s = play(server, prefer)
        ratios = [statistics.fmean(c[2] for c in calls) / SECONDS[n][BEST[n]]
            for n, calls in enumerate(judged)]
        shares = [sum(c[1] == SLOW[n] for c in calls) / len(calls)
            for n, calls in enumerate(judged)]
        rows.append([f"a real worker, {prefer}",
            *(f"{r:.2f}, {s:.1%}" for r, s in zip(ratios, shares)),
            f"{back_s} s" if back_s else "never"])
        if prefer == "latency":
            targets = [
                ("real: mean time of a call over the fastest model's, 30 s after each change",
                    max(ratios), 1.1),
                ("real: share of calls to the model that is three times slower", max(shares), 0.05),
                ("real: seconds until a model that recovers has half of the calls",
                    back_s or float("inf"), 30)]
    report.table(["mean call / the fastest model's, share of the slow one", "a is fastest",
            "a three times slower", "a has recovered", "half of the calls after"], rows)
    return targets
