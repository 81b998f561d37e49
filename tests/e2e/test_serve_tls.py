"""sluice serve with a certificate: HTTPS and nothing else."""
import http.client
import json
import os
import ssl
import subprocess

import pytest
from conftest import wait_for
from queue_tools import add_model


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    directory = tmp_path_factory.mktemp("tls")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
            "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=localhost",
            "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout",
            directory / "key.pem", "-out", directory / "cert.pem"], check=True, capture_output=True)
    return directory


@pytest.fixture
def front(pg, started, certificate):
    url = pg.database()
    add_model(url, "m", "http://127.0.0.1:1")
    process = started("serve", "--database-url", url, "--listen", "127.0.0.1:0", "--without-keys",
        "--tls-cert", certificate / "cert.pem", "--tls-key", certificate / "key.pem")
    process.wait_for_output("listening on https://")
    process.port = int(process.stdout().split(":")[-1])
    context = ssl.create_default_context(cafile=certificate / "cert.pem")
    process.connect = lambda: http.client.HTTPSConnection("localhost", process.port,
        timeout=30, context=context)
    wait_for(lambda: ask(process, "GET", "/readyz")[0] == 200, what="readiness")
    return process


def ask(front, method, path, body=None):
    connection = front.connect()
    try:
        connection.request(method, path, body)
        reply = connection.getresponse()
        return reply.status, reply.read()
    finally:
        connection.close()


def test_tasks_waits_and_streams_work_over_tls(front):
    status, body = ask(front, "POST", "/v1/tasks", json.dumps([{"prompt": "p" * 100_000}] * 20))
    assert status == 202
    task = json.loads(body)["ids"][0]
    assert json.loads(
        ask(front, "GET", f"/v1/tasks/{task}?wait=100ms")[1])["prompt"] == "p" * 100_000
    ask(front, "DELETE", f"/v1/tasks/{task}")
    assert b"event: cancelled" in ask(front, "GET", f"/v1/tasks/{task}/events")[1]
    connection = front.connect()
    for _ in range(50):
        connection.request("POST", "/v1/tasks", '{"prompt": "x"}')
        reply = connection.getresponse()
        assert reply.status == 202 and reply.read()
    connection.close()
    assert front.stop() == 0


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion")
def test_neither_plain_http_nor_old_versions_are_answered(front):
    plain = http.client.HTTPConnection("127.0.0.1", front.port, timeout=30)
    with pytest.raises((OSError, http.client.HTTPException)):
        plain.request("GET", "/healthz")
        plain.getresponse()
    old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    old.set_ciphers("DEFAULT:@SECLEVEL=0")  # or this side would refuse it
    old.check_hostname, old.verify_mode, old.maximum_version = (False,
        ssl.CERT_NONE, ssl.TLSVersion.TLSv1_1)
    with pytest.raises(OSError):
        http.client.HTTPSConnection("127.0.0.1", front.port, timeout=30,
            context=old).request("GET", "/healthz")
    assert ask(front, "GET", "/healthz")[0] == 200


def test_files_that_do_not_fit_are_told_at_start(sluice, pg, certificate, tmp_path):
    def serve(cert, *key):
        return sluice("serve", "--database-url", pg.database(), "--listen", "127.0.0.1:0",
            "--tls-cert", cert, *key)
    (tmp_path / "odd.pem").write_text("no certificate")
    missing = serve(tmp_path / "nothing.pem", "--tls-key", certificate / "key.pem")
    assert missing.returncode == 3 and "nothing.pem" in missing.stderr
    odd = serve(tmp_path / "odd.pem", "--tls-key", certificate / "key.pem")
    assert odd.returncode == 3 and "certificate" in odd.stderr
    assert serve(certificate / "cert.pem").returncode == 2
    os.mkfifo(tmp_path / "pipe.pem")
    for path in (tmp_path / "pipe.pem", "/dev/zero"):
        odd = serve(path, "--tls-key", certificate / "key.pem")
        assert odd.returncode == 3 and f"{path} is no regular file" in odd.stderr


@pytest.mark.parametrize("group, is_taken", [("ffdhe2048", False), ("P-256", True)])
def test_keys_are_agreed_on_curves(front, group, is_taken):
    """Classic Diffie-Hellman costs the server far more than it costs a client that cheats."""
    done = subprocess.run(["openssl", "s_client", "-connect", f"127.0.0.1:{front.port}", "-groups",
            group], input=b"", capture_output=True, timeout=30)
    assert (done.returncode == 0) == is_taken, done.stderr
