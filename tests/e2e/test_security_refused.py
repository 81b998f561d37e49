"""Attack: a key sends tasks of which every other one is refused, over many connections. They share
statements with others' tasks."""
import json
import selectors
import socket
import statistics
import threading
import time

import pytest
from conftest import http
from key_tools import make_key, process, url  # noqa: F401: fixtures

pytestmark = pytest.mark.plain_build_only

CONNECTIONS = 2_000
PROBES = 20


class Flood(threading.Thread):
    """Each connection sends its next task when the answer to the last one has come."""

    def __init__(self, port, key):
        super().__init__(daemon=True)
        self.ended = threading.Event()
        self.answers = 0
        self.requests = [self.request(key, priority) for priority in (0, 101)]
        self.selector = selectors.DefaultSelector()
        for n in range(CONNECTIONS):
            connection = socket.create_connection(("127.0.0.1", port))
            connection.sendall(self.requests[n % 2])
            self.selector.register(connection, selectors.EVENT_READ)
        self.start()

    @staticmethod
    def request(key, priority):
        body = json.dumps({"prompt": "x", "model": "m", "priority": priority,
            "run_at": "2090-01-01T00:00:00Z"})
        return (f"POST /v1/tasks HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n"
                f"Content-Length: {len(body)}\r\n\r\n{body}").encode()

    def run(self):
        while not self.ended.is_set():
            for ready, _ in self.selector.select(0.1):
                if ready.fileobj.recv(65536):
                    self.answers += 1
                    ready.fileobj.sendall(self.requests[self.answers % 2])
        for ready in list(self.selector.get_map().values()):
            ready.fileobj.close()


def test_refused_tasks_slow_nobody_elses(process, make_key):  # noqa: F811
    hostile, other = (make_key(name, "--scope", "submit") for name in ("hostile", "other"))
    flood = Flood(process.port, hostile)
    took_s = []
    deadline = time.monotonic() + 60
    while len(took_s) < PROBES or flood.answers <= CONNECTIONS:
        assert time.monotonic() < deadline, f"{flood.answers} answers"
        begun = time.monotonic()
        reply = http(process.port, "POST", "/v1/tasks", {"prompt": "x", "model": "m"}, other)
        took_s.append(time.monotonic() - begun)
        assert reply.status == 202
    flood.ended.set()
    flood.join()
    assert statistics.median(took_s) < 0.4, took_s
