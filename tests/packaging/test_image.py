"""The OCI image, unpacked, on a root that nothing can be written to."""
import gzip
import hashlib
import io
import json
import tarfile
import urllib.request

import pytest
from package_tools import (Program, first_line, free_port, postgres_on_loopback, require_built,
    wait_for)

import package_kind

FILE = package_kind.PACKAGES / "image/sluice.oci.tar"


@pytest.fixture(scope="module")
def blobs():
    """All of the tar by name; what is named by a digest has it."""
    with tarfile.open(require_built(FILE)) as tar:
        found = {entry.name: tar.extractfile(entry).read() for entry in tar if entry.isfile()}
    for name, content in found.items():
        if name.startswith("blobs/sha256/"):
            assert hashlib.sha256(content).hexdigest() == name.rpartition("/")[2]
    return found


def blob(blobs, descriptor):
    content = blobs["blobs/" + descriptor["digest"].replace(":", "/")]
    assert len(content) == descriptor["size"]
    return content


@pytest.fixture(scope="module")
def manifest(blobs):
    assert json.loads(blobs["oci-layout"]) == {"imageLayoutVersion": "1.0.0"}
    only, = json.loads(blobs["index.json"])["manifests"]
    return json.loads(blob(blobs, only))


@pytest.fixture(scope="module")
def config(blobs, manifest):
    return json.loads(blob(blobs, manifest["config"]))


@pytest.fixture(scope="module")
def root(blobs, manifest, tmp_path_factory):
    folder = tmp_path_factory.mktemp("image")
    for layer in manifest["layers"]:
        with tarfile.open(fileobj=io.BytesIO(blob(blobs, layer)), mode="r:gz") as tar:
            tar.extractall(folder)
    folder.chmod(0o755)
    return folder


@pytest.fixture
def sluice(root, config):
    program = Program(root, config["config"]["Entrypoint"][0], read_only=True)
    yield program
    program.stop()


@pytest.fixture(scope="module")
def url(root):
    with postgres_on_loopback() as address:
        Program(root, "/usr/bin/sluice", read_only=True).run("migrate", DATABASE_URL=address)
        yield address


def status_of(url):
    with urllib.request.urlopen(url, timeout=10) as reply:
        return reply.status


def test_it_is_small_and_says_what_it_is(config):
    assert FILE.stat().st_size <= 30_000_000
    labels = config["config"]["Labels"]
    for name in ("version", "revision", "licenses", "created"):
        assert labels[f"org.opencontainers.image.{name}"]
    assert config["config"]["User"] == "65532:65532"
    assert config["config"]["Entrypoint"] == ["/usr/bin/sluice"]


def test_docker_load_finds_the_same_image(blobs, manifest):
    told, = json.loads(blobs["manifest.json"])
    assert blobs[told["Config"]] == blob(blobs, manifest["config"])
    assert [blobs[layer] for layer in told["Layers"]] == [blob(blobs, layer)
        for layer in manifest["layers"]]


def test_its_layers_are_those_of_its_configuration(blobs, manifest, config):
    digests = [f"sha256:{hashlib.sha256(gzip.decompress(blob(blobs, layer))).hexdigest()}"
        for layer in manifest["layers"]]
    assert digests == config["rootfs"]["diff_ids"]


def test_it_runs_without_rights_on_a_root_that_is_read_only(sluice, root):
    assert sluice.run("version").stdout.startswith("sluice ")
    assert "submit" in sluice.run("help").stdout
    assert (root / "etc/ssl/certs/ca-certificates.crt").read_text().count("BEGIN CERT") > 100


@pytest.mark.parametrize("command", ["serve", "worker"])
def test_its_health_check_knows_who_lives(sluice, url, config, command):
    # Each on a port of its own: 8080 may be somebody's here.
    address = f"127.0.0.1:{free_port()}"
    flag = {"serve": "SLUICE_LISTEN", "worker": "SLUICE_HTTP"}[command]
    assert any(variable.startswith(flag + "=") for variable in config["config"]["Env"])
    probe = config["config"]["Healthcheck"]["Test"]
    assert probe[:2] == ["CMD", "/usr/bin/sluice"]
    asked = [*probe[2:], f"http://{address}/healthz"]
    sluice.run(*asked, expected=1)
    sluice.start(command, DATABASE_URL=url, **{flag: address})
    wait_for(lambda: is_well(address), what="readiness")
    sluice.run(*asked)
    sluice.run("probe", f"http://{address}/nowhere", expected=1)


def is_well(address):
    try:
        return status_of(f"http://{address}/readyz") == 200
    except OSError:
        return False


def test_a_task_is_solved(sluice, url):
    mock = first_line(sluice.start("mock", "--listen", "127.0.0.1:0"), "listening").split()[-1]
    sluice.run("model", "set", "m", f"url={mock}", DATABASE_URL=url)
    task = sluice.run("submit", "--prompt", "Why?", "--model", "m", DATABASE_URL=url).stdout.strip()
    sluice.run("worker", "--once", DATABASE_URL=url)
    assert '"solved"' in sluice.run("task", task, "--json", DATABASE_URL=url).stdout


def test_what_it_is_made_of_is_told(root):
    document = json.loads((FILE.parent / "sluice.spdx.json").read_text())
    names = {package["name"] for package in document["packages"]}
    assert {"glibc", "ca-certificates", "OpenSSL"} < names
    notice = (root / "usr/share/doc/sluice/NOTICE").read_text()
    assert all(f"\n{name}\n\n" in notice for name in names - {"sluice-image"})
