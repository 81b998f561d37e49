"""The worker's connections to backends: what opening, keeping and closing them costs its event
loop."""
import os
import pathlib
import re
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time

import pytest
from conftest import Monitor, memory_bytes, private_postgres, query, unless_instrumented, wait_for
from name_server_tools import LOOK_UP_S, slow_name_server
from queue_tools import add_model, statuses, submit, submit_many, wait_ended
from scripted_backend import ScriptedBackend, response

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
        return wait_for(lambda: re.search(r"listening on (https?://\S+)", log.read_text()), 30,
            "the backend")[1]
    yield start
    for each in started:
        each.kill()
        each.wait()


@pytest.fixture
def certificate(tmp_path):
    """A key and a certificate for 127.0.0.1, and a file of the system's authorities and this
    one."""
    key, certificate, authorities = (tmp_path / "key.pem", tmp_path / "certificate.pem",
        tmp_path / "authorities.pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
            "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1", "-addext",
            "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate], check=True,
        capture_output=True)
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
    buckets = re.findall(r'^sluice_event_loop_lag_seconds_bucket\{le="([^"]+)"\} (\d+)',
        monitor.get("/metrics")[1], re.M)
    return {float(bound): int(count) for bound, count in buckets}


def assert_loop_was_hardly_ever_late(before, after):
    """One look in seven may find it late: on a machine with nothing else to do one in a hundred
    does, and two in five where nothing bounds what one turn of the loop does."""
    counts = {bound: after[bound] - before[bound] for bound in after}
    assert counts[LAG_S_MAX] >= 0.85 * counts[float("inf")] > 0, counts


@unless_instrumented
def test_256_tls_connections_at_once_leave_the_loop_alone(pg, worker, backend, certificate):
    key, own, authorities = certificate
    url = pg.database()
    add_model(url, "m", backend(sys.executable, HERE / "tls_backend.py", key, own, 1))
    process = worker(url, "--slots", 256, "--http", "127.0.0.1:0",
        env={"SSL_CERT_FILE": str(authorities)})
    comes_first(process)
    monitor = Monitor(process)
    wait_for(lambda: monitor.get("/readyz")[0] == 200, 20, "readiness")
    before = lags(monitor)
    submit_many(url, [f"prompt {i}" for i in range(1024)])
    assert wait_ended(url, 1024, 90) == {"solved": 1024}
    assert query(url, "select count(*) from sluice.attempts") == [(0,)]
    assert_loop_was_hardly_ever_late(before, lags(monitor))


def test_authorities_that_change_on_disk_are_followed(pg, worker, backend, certificate):
    key, own, authorities = certificate
    authorities.write_text(SYSTEM_AUTHORITIES.read_text())
    url = pg.database()
    add_model(url, "m", backend(sys.executable, HERE / "tls_backend.py", key, own, 0),
        max_attempts=100, backoff_max="1s", breaker_open="1s")
    worker(url, env={"SSL_CERT_FILE": str(authorities)})
    submit_many(url, ["prompt"])
    wait_for(lambda: query(url, "select 1 from sluice.attempts where error_code = "
            "'not_sent' and error like '%certificate%'"), 20, "a refusal of the certificate")
    authorities.write_text(SYSTEM_AUTHORITIES.read_text() + own.read_text())
    assert wait_ended(url, 1, 60) == {"solved": 1}


def test_a_slow_name_server_holds_up_nobody_else(pg, worker, mock, tmp_path):
    url = pg.database()
    add_model(url, "slow", "http://slow.example:1")
    add_model(url, "impatient", "http://other.slow.example:1", timeout="200ms", max_attempts=1)
    add_model(url, "quick", mock("--latency", "100%:0ms").url.replace("127.0.0.1", "quick.example"))
    environment = slow_name_server(tmp_path) | {
        "OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector.slow.example:4318"}
    process = worker(url, "--http", "127.0.0.1:0", "--drain-timeout", "100ms", env=environment)
    monitor = Monitor(process)
    wait_for(lambda: monitor.get("/readyz")[0] == 200, 20, "readiness")
    slow = [submit(url, f"prompt {i}", "slow") for i in range(20)]
    submit(url, "prompt", "impatient")
    wait_for(lambda: query(url, "select count(*) from sluice.lease")[0][0] >= 20, 20,
        "the slow ones to be under way")
    begun = time.monotonic()
    for i in range(20):
        submit(url, f"prompt {i}", "quick", traceparent=f"00-{i + 1:032x}-{i + 1:016x}-01")
    query(url, "select sluice.cancel(%s)", [slow[0]])
    wait_for(lambda: statuses(url).get("solved") == 20 and statuses(url).get("cancelled") == 1,
        LOOK_UP_S / 2, "the quick ones and the cancelled one, "
        "while the first look-up is still under way")
    after = lags(monitor)
    assert after[5] == after[float("inf")]
    begun = time.monotonic()
    process.stop()
    assert time.monotonic() - begun < LOOK_UP_S / 2  # two are for the spans


FLOODING_CALLS = 60


@pytest.mark.parametrize("pieces", ["empty data", "window updates", "data of a byte",
    "records of a byte"])
def test_an_answer_in_endless_small_pieces_ends_and_holds_up_nobody_else(pg, worker, mock, backend,
        certificate, pieces):
    """60 such calls made other models' tasks take 20 times as long, until the model's timeout."""
    key, own, authorities = certificate
    url = pg.database()
    add_model(url, "floods", backend(sys.executable, HERE / "flooding_backend.py", key, own,
            pieces), timeout="10 min", max_attempts=1, min_in_flight=FLOODING_CALLS)
    add_model(url, "m", mock("--latency", "100%:0ms").url)
    monitor = Monitor(worker(url, "--http", "127.0.0.1:0",
            env={"SSL_CERT_FILE": str(authorities)}))
    wait_for(lambda: monitor.get("/readyz")[0] == 200, 20, "readiness")
    submit_many(url, ["flood"] * FLOODING_CALLS, "floods")
    wait_for(lambda: query(url, "select 1 from sluice.lease"), 20, "the calls")
    for i in range(20):
        submit(url, f"prompt {i}")
        wait_for(lambda: statuses(url).get("solved") == i + 1, 10, "the other model's answer")
        assert monitor.get("/healthz")[0] == 200
    wait_for(lambda: query(url, "select 1 from sluice.breaker where state = 'open'"), 60,
        "the model's breaker")
    wait_for(lambda: query(url, "select count(*) from sluice.lease") == [(0,)], 60, "all calls")
    assert query(url, "select distinct error_code, error from sluice.attempts") == [
        ("unanswered", "the backend sends too much that is no answer")]


@pytest.mark.parametrize("version, ciphers", [("TLSv1_2", "DHE+AESGCM"), ("TLSv1_2", "kRSA+AESGCM"),
    ("TLSv1_2", "ECDHE+AESGCM"), ("TLSv1_3", "ECDHE+AESGCM")])
def test_keys_are_agreed_on_curves(pg, worker, tmp_path, version, ciphers):
    """A backend may choose a modulus of 10,000 bits: its handshake held the loop for 5 s."""
    key, own, parameters = (tmp_path / name for name in ("key.pem", "certificate.pem", "dh.pem"))
    for command in (["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
                "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out",
                own],
            ["genpkey", "-genparam", "-algorithm", "DH", "-pkeyopt", "group:ffdhe2048", "-out",
                parameters]):
        subprocess.run(["openssl", *command], check=True, capture_output=True)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(own, key)
    tls.load_dh_params(parameters)
    tls.set_ciphers(ciphers)
    tls.minimum_version = tls.maximum_version = getattr(ssl.TLSVersion, version)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = pg.database()
        add_model(url, "m", f"https://127.0.0.1:{listener.getsockname()[1]}", max_attempts=1)
        worker(url, env={"SSL_CERT_FILE": str(own)})
        submit(url, "x")
        listener.settimeout(30)
        connection = listener.accept()[0]
        if ciphers.startswith("DHE"):
            with pytest.raises(ssl.SSLError, match="NO_SHARED_CIPHER"):
                tls.wrap_socket(connection, server_side=True)
        else:
            with tls.wrap_socket(connection, server_side=True) as client:
                assert client.recv(4) == b"POST"
        connection.close()


def offered_groups(hello):
    """The supported_groups (RFC 8446, 4.2.7) of a TLS record with a ClientHello."""
    def number(at):
        return int.from_bytes(hello[at:at + 2], "big")
    at = 43
    at += 1 + hello[at]     # session
    at += 2 + number(at)    # ciphers
    at += 1 + hello[at] + 2    # compression; the extensions' length
    while number(at) != 10:
        at += 4 + number(at + 2)
    return [number(group) for group in range(at + 6, at + 6 + number(at + 4), 2)]


def test_no_group_of_classic_diffie_hellman_is_offered(pg, worker, certificate):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(30)
        url = pg.database()
        add_model(url, "m", f"https://127.0.0.1:{listener.getsockname()[1]}", max_attempts=1)
        worker(url, env={"SSL_CERT_FILE": str(certificate[2])})
        submit(url, "x")
        connection = listener.accept()[0]
        with connection:
            connection.settimeout(30)
            groups = offered_groups(connection.recv(65536))
    assert groups and not any(0x100 <= group < 0x200 for group in groups)   # ffdhe2048 and so on


STALLED = 200   # of 600 KB, in both their copies: nearly twice what 128 MiB are


def test_a_backend_that_stalls_in_its_answers_stops_no_other_model(pg, worker, mock):
    over = threading.Event()

    def stall(connection, _headers, _body):
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
                           b"33000000\r\n\r\n" + b" " * 600_000)
        over.wait(120)
    with ScriptedBackend({"stall": stall}) as backend:
        url = pg.database()
        add_model(url, "stalls", backend.url, api="openai-chat",
            min_in_flight=STALLED, max_in_flight=STALLED)
        add_model(url, "m", mock("--latency", "100%:0ms").url)
        process = worker(url, "--slots", 2 * STALLED, "--answer-memory", "128MiB")
        wait_for(lambda: query(url, "select count(*) from sluice.workers where alive") == [(1,)],
            20, "the worker")
        before = memory_bytes(process.pid)
        submit_many(url, ["stall"] * STALLED, "stalls")
        wait_for(lambda: backend.calls.count("stall") == STALLED, 30, "the calls")
        wait_for(lambda: memory_bytes(process.pid) > before + (40 << 20), 30,
            "what was sent of them")
        submit_many(url, [f"prompt {i}" for i in range(100)])
        wait_for(lambda: statuses(url).get("solved") == 100, 15, "the other model's answers")
        over.set()


ANSWERS, ANSWER_BYTES = 16, 31 << 20


@unless_instrumented
def test_large_answers_wait_for_each_other_and_their_memory_is_given_back(pg, worker):
    text = b'{"choices":[{"message":{"content":"%s"},"finish_reason":"stop"}]}' % (
        b"x" * ANSWER_BYTES)
    at_once = threading.Barrier(ANSWERS)

    def answer(connection, _headers, _body):
        at_once.wait(30)
        connection.sendall(response(200, text))
    with ScriptedBackend({"large": answer}) as backend:
        url = pg.database()
        add_model(url, "m", backend.url, api="openai-chat")
        process = worker(url, "--slots", ANSWERS)
        submit_many(url, ["large"] * ANSWERS)
        assert wait_ended(url, ANSWERS, 200) == {"solved": ANSWERS}
        assert query(url, "select count(*) from sluice.attempts") == [(0,)]
        assert query(url, "select distinct length(answer) from sluice.tasks") == [(ANSWER_BYTES,)]
        # The budget (256 MiB), one answer beyond it, and the copies of what is being stored.
        assert memory_bytes(process.pid, "VmHWM") < 600 << 20
        wait_for(lambda: memory_bytes(process.pid) < 250 << 20, 10, "the memory to be given back")
