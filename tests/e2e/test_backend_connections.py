"""The worker's connections to backends: what opening, keeping and closing them costs its event loop."""
import os
import pathlib
import re
import signal
import subprocess
import sys

import pytest
from conftest import Monitor, private_postgres, query, wait_for
from queue_tools import add_model, submit_many, wait_ended

HERE = pathlib.Path(__file__).parent
SYSTEM_AUTHORITIES = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")
LAG_S_MAX = 0.02


@pytest.fixture
def backend(tmp_path):
    """A function that starts a backend that says where it listens: its URL."""
    started = []

    def start(*command):
        log = tmp_path / f"backend-{len(started)}.log"
        with open(log, "wb") as out:
            started.append(subprocess.Popen(list(map(str, command)), stdout=out, stderr=out,
                                            preexec_fn=lambda: private_postgres.die_with_parent(signal.SIGKILL)))
        return wait_for(lambda: re.search(r"listening on (https?://\S+)", log.read_text()), 30, "the backend")[1]
    yield start
    for each in started:
        each.kill()
        each.wait()


@pytest.fixture
def certificate(tmp_path):
    """A key and a certificate for 127.0.0.1, and a file of the system's authorities and this one."""
    key, certificate, authorities = tmp_path / "key.pem", tmp_path / "certificate.pem", tmp_path / "authorities.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
                    "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate],
                   check=True, capture_output=True)
    authorities.write_text(SYSTEM_AUTHORITIES.read_text() + certificate.read_text())
    return key, certificate, authorities


def comes_first(process):
    """The machine has other tests to do; the loop's lag is to be its own."""
    try:
        os.setpriority(os.PRIO_PROCESS, process.pid, -19)
    except PermissionError:
        pytest.skip("only root can put a process before others")


def lags(monitor):
    """How many times the event loop was as late as each bound of the histogram, and in all."""
    buckets = re.findall(r'^sluice_event_loop_lag_seconds_bucket\{le="([^"]+)"\} (\d+)', monitor.get("/metrics")[1], re.M)
    return {float(bound): int(count) for bound, count in buckets}


def assert_loop_was_never_late(before, after):
    counts = {bound: after[bound] - before[bound] for bound in after}
    assert counts[LAG_S_MAX] >= 0.99 * counts[float("inf")] > 0, counts


def test_256_tls_connections_at_once_leave_the_loop_alone(pg, worker, backend, certificate):
    key, own, authorities = certificate
    url = pg.database()
    add_model(url, "m", backend(sys.executable, HERE / "tls_backend.py", key, own, 1))
    process = worker(url, "--slots", 256, "--http", "127.0.0.1:0", env={"SSL_CERT_FILE": str(authorities)})
    comes_first(process)
    monitor = Monitor(process)
    wait_for(lambda: monitor.get("/readyz")[0] == 200, 20, "readiness")
    before = lags(monitor)
    submit_many(url, [f"prompt {i}" for i in range(1024)])
    assert wait_ended(url, 1024, 90) == {"solved": 1024}
    assert query(url, "select count(*) from sluice.attempts") == [(0,)]
    assert_loop_was_never_late(before, lags(monitor))
