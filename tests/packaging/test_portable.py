"""The portable file in a root that has glibc 2.31, certificate authorities and nothing else."""
import http.client
import json
import pathlib
import re
import shutil
import ssl
import subprocess

import pytest
from package_tools import (ROOT, Program, first_line, make_authority, make_certificate, make_root,
    postgres_on_loopback, query, require_built, tls_backend, wait_for)

import debian_archive
import package_kind
import static_libraries

FOLDER = package_kind.PACKAGES / "portable"
BUNDLE = "etc/ssl/certs/ca-certificates.crt"


@pytest.fixture(scope="module")
def file():
    return require_built(FOLDER / "sluice")


@pytest.fixture(scope="module")
def root(file, tmp_path_factory):
    """Debian 11's libc, the file, and nothing else; not even /dev, /proc or /tmp."""
    unpacked = tmp_path_factory.mktemp("libc6")
    archive = debian_archive.Archive(package_kind.WORK / "archive/bullseye", "bullseye")
    debian_archive.unpack(archive.fetch(["libc6"])["libc6"], unpacked)
    libraries = {f"lib/x86_64-linux-gnu/{path.name}": path
        for path in (unpacked / "lib/x86_64-linux-gnu").iterdir() if path.is_file()}
    loader = {"lib64/ld-linux-x86-64.so.2": unpacked / "lib/x86_64-linux-gnu/ld-2.31.so"}
    return make_root(tmp_path_factory.mktemp("root"), {"sluice": file, **libraries, **loader})


@pytest.fixture
def sluice(root):
    program = Program(root, "/sluice")
    yield program
    program.stop()


@pytest.fixture(scope="module")
def url(root):
    with postgres_on_loopback() as address:
        Program(root, "/sluice").run("migrate", DATABASE_URL=address)
        yield address


def notes_of(path):
    return subprocess.run(["readelf", "--notes", path], check=True, text=True,
        capture_output=True).stdout


def test_it_needs_libc_alone(file):
    listed = subprocess.run(["ldd", file], check=True, text=True, capture_output=True).stdout
    names = set(re.findall(r"^\s+(?:\S*/)?([\w.-]+\.so[\w.]*)", listed, re.M))
    assert "libc.so.6" in names and names <= {"linux-vdso.so.1", "ld-linux-x86-64.so.2",
        "libc.so.6", "libdl.so.2", "libm.so.6", "libpthread.so.0", "librt.so.1"}, listed
    assert file.stat().st_size <= 25_000_000


def test_it_is_hardened(file):
    subprocess.run([ROOT / "scripts/check_hardening", file], check=True)


def test_its_symbols_lie_beside_it(file):
    build_id = re.search(r"Build ID: (\w+)", notes_of(file))[1]
    assert build_id in notes_of(FOLDER / "sluice.debug")
    link = subprocess.run(["readelf", "--string-dump=.gnu_debuglink", file], check=True,
        capture_output=True).stdout
    assert b"sluice.debug" in link
    symbols = subprocess.run(["readelf", "--syms", file], check=True, text=True,
        capture_output=True).stdout
    assert ".symtab" not in symbols
    names = subprocess.run(["nm", FOLDER / "sluice.debug"], check=True, text=True,
        capture_output=True).stdout
    assert " T main\n" in names


def test_no_path_of_the_machine_that_built_it_is_in_it(file):
    for content in (file.read_bytes(), (FOLDER / "sluice.debug").read_bytes()):
        assert str(ROOT).encode() not in content


def test_it_runs_in_an_empty_root(sluice):
    version = re.search(r"^  version: '(.*)',$", (ROOT / "meson.build").read_text(), re.M)[1]
    assert sluice.run("version").stdout == f"sluice {version}\n"
    assert "submit" in sluice.run("help").stdout


def test_tasks_are_solved(sluice, url):
    mock = first_line(sluice.start("mock", "--listen", "127.0.0.1:0"), "listening").split()[-1]
    sluice.run("model", "set", "m", f"url={mock}", DATABASE_URL=url)
    waiting = sluice.start("submit", "--prompt", "Why?", "--model", "m", "--wait",
        DATABASE_URL=url)
    wait_for(lambda: query(url, "select 1 from sluice.tasks"), what="the task")
    sluice.run("worker", "--once", DATABASE_URL=url)
    output, _ = waiting.communicate(timeout=30)
    assert waiting.returncode == 0
    assert query(url, "select status, answer from sluice.tasks") == [("solved", output.strip())]


def test_an_unknown_authority_is_refused_and_a_known_one_trusted(sluice, root, url, tmp_path):
    own, foreign = make_authority(tmp_path, "own"), make_authority(tmp_path, "foreign")
    make_root(root, {BUNDLE: foreign[0]})
    with tls_backend(*make_certificate(tmp_path, own)) as backend:
        sluice.run("model", "set", "tls", f"url={backend}", "max_attempts=100", "backoff_max=1s",
            "breaker_open=1s", DATABASE_URL=url)
        sluice.run("submit", "--prompt", "Why?", "--model", "tls", DATABASE_URL=url)
        sluice.start("worker", "--models", "tls", DATABASE_URL=url)
        wait_for(lambda: query(url, "select 1 from sluice.attempts where error_code = 'not_sent' "
            "and error like '%certificate%'"), what="a refusal of the certificate")
        assert query(url, "select count(*) from sluice.tasks where model = 'tls' and "
            "status = 'solved'") == [(0,)]
        shutil.copy(own[0], root / BUNDLE)
        wait_for(lambda: query(url, "select 1 from sluice.tasks where model = 'tls' and "
            "answer = 'answer to Why?'"), 60, "an answer over TLS")


def test_it_serves_over_tls(sluice, root, url, tmp_path):
    authority = make_authority(tmp_path, "own")
    key, certificate = make_certificate(tmp_path, authority)
    make_root(root, {"server.key": key, "server.pem": certificate})
    subprocess.run(["chown", "65532", root / "server.key"], check=True)
    server = sluice.start("serve", "--listen", "127.0.0.1:0", "--without-keys", "--tls-cert",
        "/server.pem", "--tls-key", "/server.key", DATABASE_URL=url)
    port = int(first_line(server, "listening on https://").rpartition(":")[2])
    connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=30,
        context=ssl.create_default_context(cafile=authority[0]))
    connection.request("GET", "/healthz")
    assert connection.getresponse().status == 200
    connection.close()


def test_it_says_which_programs_of_postgresql_are_missing(sluice, root):
    psql = sluice.run("psql", expected=3, DATABASE_URL="postgresql://127.0.0.1:1/x")
    assert "install postgresql-client" in psql.stderr
    own = root / "own"
    own.mkdir()
    subprocess.run(["chown", "65532", own], check=True)
    up = sluice.run("up", "--data", "/own/data", expected=3)
    assert "PostgreSQL" in up.stderr and up.stderr.count("\n") == 1, up.stderr


def test_what_it_is_made_of_is_told(file):
    document = json.loads((FOLDER / "sluice.spdx.json").read_text())
    packages = {package["name"]: package for package in document["packages"]}
    assert document["spdxVersion"] == "SPDX-2.3" and document["dataLicense"] == "CC0-1.0"
    assert {part.name for part in static_libraries.PARTS} < set(packages)
    digest = subprocess.run(["sha256sum", file], check=True, text=True,
        capture_output=True).stdout.split()[0]
    assert packages["sluice"]["checksums"] == [{"algorithm": "SHA256", "checksumValue": digest}]
    identifiers = {package["SPDXID"] for package in packages.values()}
    linked = {relationship["relatedSpdxElement"] for relationship in document["relationships"]
        if relationship["relationshipType"] == "STATIC_LINK"}
    assert linked == identifiers - {"SPDXRef-Package"}
    for name, package in packages.items():
        assert package["versionInfo"] and package["licenseDeclared"], name
        if name != "sluice":
            assert package["externalRefs"][0]["referenceLocator"].startswith("pkg:"), name
    notice = pathlib.Path(FOLDER / "NOTICE").read_text()
    assert all(f"\n{name}\n\n" in notice for name in packages if name != "sluice")
