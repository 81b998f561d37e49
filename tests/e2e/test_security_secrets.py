"""Attacks on the credentials of a worker's machine: by an HTTP key that may configure models, and
by a local user beside `up`."""
import json
import os
import pathlib
import pwd
import shutil
import subprocess
import tempfile

import pytest

from conftest import Monitor, free_port, http, query, wait_for
from queue_tools import add_model, submit, wait_ended
from scripted_backend import ScriptedBackend, response

ANSWER = ('{"choices":[{"index":0,"message":{"role":"assistant","content":"a"},'
          '"finish_reason":"stop"}]}')
PROVIDER_KEY, OWN_KEY = "sk-of-the-provider-0123", "sk-of-our-own-gateway-4567"
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root stands above another user")


class Thief(ScriptedBackend):
    """A backend that keeps what it is sent."""

    def __init__(self):
        self.stolen = []
        super().__init__({"hello": self.take})

    def take(self, connection, headers, _):
        self.stolen.append(headers.get("authorization"))
        connection.sendall(response(200, ANSWER))


@pytest.fixture
def thief():
    with Thief() as backend:
        yield backend


@pytest.fixture
def url(pg):
    return pg.database()


@pytest.fixture
def secret_dir(tmp_path):
    directory = tmp_path / "secrets"
    directory.mkdir()
    write_key(directory / "acme", OWN_KEY)
    return directory


def write_key(path, key):
    path.write_text(key + "\n")
    path.chmod(0o600)


def call_with(port, secret, backend):
    """As a configuring key would: a model of one's own, and one task for it."""
    model = {"url": backend, "api": "openai-chat", "secret": secret}
    assert http(port, "PUT", "/v1/models/x", model).status in (200, 201)
    assert http(port, "POST", "/v1/tasks", {"prompt": "hello", "model": "x"}).status == 202


def reason_it_is_parked(url, thief=None):
    parked = lambda: query(url,
        "select closed_detail from sluice.models where closed_until = 'infinity'")
    wait_for(lambda: parked() or thief and thief.stolen, what="parking")
    assert not thief or thief.stolen == []
    return parked()[0][0]


def assert_nothing_is_sent(url, thief, way_out):
    reason = reason_it_is_parked(url, thief)
    assert way_out in reason, reason
    assert PROVIDER_KEY not in reason and OWN_KEY not in reason
    assert query(url, "select status, attempts from sluice.tasks") == [("queued", 0)]


@pytest.mark.parametrize("name, way_out",
    [("HOME", "--secret-env"), ("PATH", "--secret-env"), ("AWS_SECRET_ACCESS_KEY", "--secret-env"),
        ("OPENAI_API_KEY", "--secret-host"), ("SLUICE_SECRET_ACME", "--secret-host")])
def test_no_variable_of_the_worker_is_sent_to_a_url_of_ones_own(url, worker,
        server, thief, name, way_out):
    keys = {"OPENAI_API_KEY": PROVIDER_KEY, "SLUICE_SECRET_ACME": OWN_KEY,
        "AWS_SECRET_ACCESS_KEY": OWN_KEY, "HOME": "/root"}
    worker(url, env=keys)
    call_with(server(url).port, f"env:{name}", thief.url)
    assert_nothing_is_sent(url, thief, way_out)


@pytest.mark.parametrize("path, way_out", [
    ("../password", "--secret-dir"),
    ("link", "leads out of"),
    ("sub/../../password", "leads out of"),
    ("folder/password", "leads out of"),
    ("/absolute", "leads out of"),
    ("acme", "--secret-host")])
def test_no_file_of_the_worker_is_sent_to_a_url_of_ones_own(url, worker, server, thief, tmp_path,
        secret_dir, path, way_out):
    write_key(tmp_path / "password", "password-of-the-superuser")
    (secret_dir / "link").symlink_to(tmp_path / "password")
    (secret_dir / "folder").symlink_to(tmp_path)
    (secret_dir / "sub").mkdir()
    reference = f"file:{tmp_path / 'password'}" if path.startswith(
        "..") else f"file:{secret_dir}/{path}"
    # But for the last one the host would be right: the file is not.
    host = [] if path == "acme" else ["--secret-host",
        f"{reference}={thief.url.removesuffix('/v1')}"]
    worker(url, "--secret-dir", secret_dir, *host)
    call_with(server(url).port, reference, thief.url)
    assert_nothing_is_sent(url, thief, way_out)


@pytest.mark.parametrize("form", ["http://api.openai.com@{0}", "http://api.openai.com:443@{0}",
        "http://{0}/https://api.openai.com", "http://{0}?x=https://api.openai.com",
        "http://{0}#@api.openai.com", "http://api.openai.com#@{0}", "http://{0}\\@api.openai.com",
        "http://api.openai.com"])
def test_no_spelling_of_a_url_passes_for_the_providers(url, worker, server, thief, form):
    worker(url, env={"OPENAI_API_KEY": PROVIDER_KEY})
    call_with(server(url).port, "env:OPENAI_API_KEY",
        form.format(thief.url.removeprefix("http://").removesuffix("/v1")))
    assert_nothing_is_sent(url, thief, "--secret-host")


@pytest.mark.parametrize("backend", ["https://api.openai.com.evil.example",
    "https://evil-openai.com", "https://api.openai.com:8443"])
def test_a_host_that_looks_like_the_providers_is_not_it(url, worker, backend):
    add_model(url, "m", backend, api="openai-chat", secret="env:OPENAI_API_KEY")
    submit(url, "hello")
    worker(url, env={"OPENAI_API_KEY": PROVIDER_KEY})
    assert "--secret-host" in reason_it_is_parked(url)


def test_a_secret_goes_where_the_operator_says_and_nowhere_else(url, worker,
        server, thief, secret_dir):
    port, origin = server(url).port, thief.url.removesuffix("/v1")
    os.rename(secret_dir / "acme", secret_dir / "..data")
    (secret_dir / "acme").symlink_to("..data")  # as Kubernetes has it: a link that stays below
    worker(url, "--secret-dir", secret_dir, "--secret-host", f"file:{secret_dir}/acme={origin}",
        "--secret-host", f"env:GATEWAY_KEY={origin}",
        env={"SLUICE_SECRET_ENV": "GATEWAY_", "GATEWAY_KEY": PROVIDER_KEY})
    call_with(port, f"file:{secret_dir}/acme", thief.url)
    assert wait_ended(url, 1) == {"solved": 1}
    call_with(port, "env:GATEWAY_KEY", thief.url)
    assert wait_ended(url, 2) == {"solved": 2}
    assert thief.stolen == [f"bearer {OWN_KEY}", f"bearer {PROVIDER_KEY}"]
    with Thief() as another:
        call_with(port, "env:GATEWAY_KEY", another.url)
        assert "--secret-host" in reason_it_is_parked(url)
        assert another.calls == []


class Echo(Thief):
    """A backend that repeats the credential in its answer."""

    def take(self, connection, headers, _):
        self.stolen.append(headers.get("authorization"))
        connection.sendall(response(200, ANSWER.replace('"a"',
            f'"you sent {headers.get("authorization")}"')))


class Halves(ScriptedBackend):
    """A backend that repeats the credential in two parts of its answer."""

    def __init__(self):
        super().__init__({"hello": self.take})

    def take(self, connection, headers, _):
        key = headers.get("authorization").removeprefix("bearer ")
        parts = [{"type": "text", "text": half} for half in (key[:9], key[9:])]
        connection.sendall(response(200, ANSWER.replace('"a"', json.dumps(parts))))


def test_a_secret_in_two_parts_of_an_answer_is_not_stored(url, worker, server):
    with Halves() as backend:
        worker(url, "--secret-host", f"env:SLUICE_SECRET_S={backend.url.removesuffix('/v1')}",
            env={"SLUICE_SECRET_S": OWN_KEY})
        call_with(server(url).port, "env:SLUICE_SECRET_S", backend.url)
        assert wait_ended(url, 1) == {"solved": 1}
    assert query(url, "select answer, response from sluice.tasks") == [("[secret]", '"[secret]"')]


@pytest.mark.parametrize("key", ["tok-4567", "tok-4567-abcdef"])
def test_a_short_secret_that_is_echoed_is_not_stored(url, worker, server, key):
    with Echo() as echo:
        working = worker(url, "--secret-host",
            f"env:SLUICE_SECRET_S={echo.url.removesuffix('/v1')}", env={"SLUICE_SECRET_S": key})
        call_with(server(url).port, "env:SLUICE_SECRET_S", echo.url)
        assert wait_ended(url, 1) == {"solved": 1}
        assert echo.stolen == [f"bearer {key}"]
    (answer,), = query(url, "select answer from sluice.tasks")
    assert answer == "you sent bearer [secret]"
    assert "is shorter than" not in working.stderr()


def test_a_secret_too_short_to_be_masked_is_warned_of_once_by_its_reference(url, worker, server):
    key = "tok-456"
    with Echo() as echo:
        working = worker(url, "--secret-host",
            f"env:SLUICE_SECRET_S={echo.url.removesuffix('/v1')}", env={"SLUICE_SECRET_S": key})
        port = server(url).port
        for solved in (1, 2):
            call_with(port, "env:SLUICE_SECRET_S", echo.url)
            assert wait_ended(url, solved) == {"solved": solved}
    wait_for(lambda: "is shorter than" in working.stderr(), what="the warning")
    assert working.stderr().count("secret env:SLUICE_SECRET_S is shorter than 8 bytes") == 1
    assert key not in working.stderr()


def test_up_has_the_same_boundary(started, thief):
    directory = pathlib.Path(tempfile.mkdtemp(prefix="sluice-up-", dir="/tmp"))
    directory.chmod(0o755)
    try:
        port = free_port()
        process = started("up", "--data", directory / "data", "--listen", f"127.0.0.1:{port}",
            "--without-keys", env={"OPENAI_API_KEY": PROVIDER_KEY})
        process.wait_for_output("export DATABASE_URL")
        Monitor(process).wait_until("listen", 200)
        call_with(port, "env:OPENAI_API_KEY", thief.url)
        model = lambda: http(port, "GET", "/v1/models/x").json
        wait_for(lambda: "--secret-host" in str(model()), what="parking")
        assert thief.calls == []
        process.stop(60)
    finally:
        shutil.rmtree(directory)


def test_bounds_that_say_nothing_are_refused(sluice):
    for flag, value in (("env", ""), ("env", "A B"), ("dir", "relative"), ("host", "env:A"),
            ("host", "env:A="), ("host", "A=host"), ("host", "env:A=*"),
            ("host", "env:A=ftp://host"), ("host", "env:A=host/path"), ("host", "env:A=user@host")):
        ended = sluice("worker", f"--secret-{flag}={value}", "--database-url",
            "postgresql://nobody@127.0.0.1:1/none")
        assert ended.returncode == 2 and f"--secret-{flag}" in ended.stderr, (flag,
            value, ended.stderr)


def test_a_tls_key_that_everybody_may_read_is_refused(sluice, tmp_path):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
            "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=x", "-keyout",
            tmp_path / "key.pem", "-out", tmp_path / "cert.pem"], check=True, capture_output=True)
    (tmp_path / "key.pem").chmod(0o644)
    ended = sluice("serve", "--listen", "127.0.0.1:0", "--tls-cert", tmp_path / "cert.pem",
        "--tls-key", tmp_path / "key.pem", "--database-url", "postgresql://nobody@127.0.0.1:1/none")
    assert ended.returncode == 3 and "chmod o-rwx" in ended.stderr, ended.stderr


@pytest.fixture
def data():
    """A data directory that looks as if `up` had been there, where the server's account can go."""
    directory = pathlib.Path(tempfile.mkdtemp(prefix="sluice-up-", dir="/tmp"))
    directory.chmod(0o755)
    made = directory / "data"
    made.mkdir(mode=0o755)
    (made / "lock").touch()
    yield made
    shutil.rmtree(directory)


def up_is_refused(sluice, data, *flags):
    ended = sluice("up", "--data", data, "--listen", "127.0.0.1:0", *flags, timeout_s=30)
    assert ended.returncode == 3, (ended.returncode, ended.stdout, ended.stderr)
    return ended.stderr


@as_root
def test_up_does_not_take_the_directory_of_another_user(sluice, data):
    victim = data.parent / "victim"
    victim.write_text("precious")
    (data / "env").symlink_to(victim)
    os.chown(data, pwd.getpwnam("nobody").pw_uid, -1)
    assert "belongs to nobody" in up_is_refused(sluice, data)
    assert victim.read_text() == "precious"
    # Nor by a link of that user's to a directory of ours.
    os.chown(data, 0, -1)
    (data / "env").unlink()
    link = data.parent / "link"
    link.symlink_to(data)
    os.chown(link, pwd.getpwnam("nobody").pw_uid, -1, follow_symlinks=False)
    assert "belongs to nobody" in up_is_refused(sluice, link)


def test_up_does_not_take_a_directory_that_everybody_may_write_to(sluice, data):
    data.chmod(0o777)
    assert "everybody may write" in up_is_refused(sluice, data)


@pytest.mark.parametrize("name", ["env", "password", "lock", "postgres.log"])
def test_up_writes_through_no_link(sluice, data, name):
    victim = data.parent / "victim"
    victim.write_text("precious")
    (data / name).unlink(missing_ok=True)
    (data / name).symlink_to(victim)
    (data / "pgdata").mkdir()
    (data / "pgdata").rmdir()
    port = free_port()
    if name == "lock":
        (data / "pgdata").mkdir()
    assert f"cannot write {data / name}: it is no regular file: remove it" in up_is_refused(sluice,
        data, "--pg-port", port)
    assert victim.read_text() == "precious"


@pytest.mark.parametrize("name", ["env", "password", "lock", "postgres.log"])
@pytest.mark.parametrize("is_read", [False, True])
def test_up_waits_for_no_pipe(sluice, data, name, is_read):
    (data / name).unlink(missing_ok=True)
    os.mkfifo(data / name)
    reader = os.open(data / name, os.O_RDONLY | os.O_NONBLOCK) if is_read else None
    try:
        assert f"cannot write {data / name}: it is no regular file: remove it" in up_is_refused(
            sluice, data, "--pg-port", free_port())
    finally:
        if is_read:
            os.close(reader)
