"""What a worker says of itself, and what it does when nobody can wake it."""
import socket
import threading
import urllib.parse

import pytest
from conftest import Monitor
from queue_tools import add_model, submit, submit_many, wait_ended


class Wire:
    """A TCP way to PostgreSQL's Unix socket that can be cut without either end hearing of it."""

    def __init__(self, url):
        self.url = url
        self.directory = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))["host"]
        self.open = threading.Event()
        self.open.set()
        self.listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self.accept, daemon=True).start()

    def tcp_url(self):
        name = urllib.parse.urlsplit(self.url).path
        return f"postgresql://sluice@127.0.0.1:{self.listener.getsockname()[1]}{name}"

    def accept(self):
        try:
            while True:
                near, _ = self.listener.accept()
                far = socket.socket(socket.AF_UNIX)
                far.connect(f"{self.directory}/.s.PGSQL.5432")
                for source, target in ((near, far), (far, near)):
                    threading.Thread(target=self.carry, args=(source, target), daemon=True).start()
        except OSError:
            pass  # closed

    def carry(self, source, target):
        try:
            while data := source.recv(65536):
                self.open.wait()
                target.sendall(data)
        except OSError:
            pass
        for end in (source, target):
            end.close()

    def close(self):
        self.listener.close()
        self.open.set()


@pytest.fixture
def wire(pg):
    wire = Wire(pg.database())
    yield wire
    wire.close()


def test_a_probe_tells_who_lives(pg, worker, sluice):
    monitor = Monitor(worker(pg.database(), "--http", "127.0.0.1:0"))
    asked = sluice("probe", monitor.address + "/healthz")
    assert (asked.returncode, asked.stdout, asked.stderr) == (0, "", "")
    asked = sluice("probe", monitor.address + "/nowhere")
    assert (asked.returncode, asked.stderr) == (1, "sluice: the probe was answered with 404\n")
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))  # and does not listen
        asked = sluice("probe", f"http://127.0.0.1:{nobody.getsockname()[1]}/healthz")
    assert asked.returncode == 1 and "no answer to the probe" in asked.stderr
    assert asked.stderr.count("\n") == 1


def test_a_worker_that_listens_is_ready_and_says_so(pg, worker):
    monitor = Monitor(worker(pg.database(), "--http", "127.0.0.1:0"))
    monitor.wait_until("listen", 200)
    assert monitor.ready() == (200, {"ready": True, "wakeups": "listen"})
    assert monitor.listen_modes() == {"listen": "1", "poll": "0", "scarce": "0", "lost": "0"}
    assert monitor.get("/healthz") == (200, "ok\n")


def test_a_mute_listening_session_makes_the_worker_poll_until_it_has_another(wire, mock, worker):
    backend = mock()
    add_model(wire.url, "m", backend.url)
    monitor = Monitor(worker(wire.url, "--direct-url", wire.tcp_url(), "--http", "127.0.0.1:0"))
    monitor.wait_until("listen", 200)
    wire.open.clear()
    monitor.wait_until("lost", 503)
    assert "no wake-ups" in monitor.ready()[1]["reason"]
    assert monitor.listen_modes() == {"listen": "0", "poll": "0", "scarce": "0", "lost": "1"}
    submit(wire.url, "nobody can wake you")
    wait_ended(wire.url, 1, 10)  # once a second it looks; else it would sleep
    wire.open.set()
    monitor.wait_until("listen", 200)


def test_behind_a_pooler_a_worker_polls_and_is_ready(pooler, mock, worker):
    url, backend = pooler.direct_url, mock()
    add_model(url, "slow", backend.url, rpm=1200)
    process = worker(pooler.url, "--http", "127.0.0.1:0")
    monitor = Monitor(process)
    monitor.wait_until("poll", 200)
    assert "--direct-url" in process.stderr()
    assert monitor.listen_modes() == {"listen": "0", "poll": "1", "scarce": "0", "lost": "0"}
    # Permits come every 50 ms: it sleeps until the next one, not until the next poll.
    submit_many(url, [f"paced {number}" for number in range(80)], "slow")
    assert wait_ended(url, 80, 20) == {"solved": 80}
    add_model(url, "added later", backend.url)
    submit(url, "which it hears of by looking", "added later")
    wait_ended(url, 81, 10)
    assert process.stop() == 0


def test_a_direct_url_beside_a_pooler_restores_listening(pooler, mock, worker):
    url, backend = pooler.direct_url, mock()
    add_model(url, "m", backend.url)
    monitor = Monitor(worker(pooler.url, "--direct-url", url, "--http", "127.0.0.1:0"))
    monitor.wait_until("listen", 200)
    submit(url, "as ever")
    wait_ended(url, 1)
