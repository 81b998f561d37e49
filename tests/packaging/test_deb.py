"""The Debian package, installed in a root of its own: what it holds, what it does on installation,
upgrade and removal, and that it works there.

systemd does not run in that root. A recorder stands in for deb-systemd-invoke and shows what an
upgrade or a removal would ask of systemd; that a worker drains on SIGTERM is tested end to end.

SLUICE_DEB: the package. Run by scripts/package.d/deb test, as root.
"""
import glob
import importlib.machinery
import importlib.util
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEB = pathlib.Path(os.environ["SLUICE_DEB"])
RELEASE = "bookworm"
MAKE_TIMEOUT_S = 1800  # downloads a small Debian
RUN_TIMEOUT_S = 300
ROOT_AGE_MAX_S = 7 * 24 * 3600  # of the small Debian, kept in build/roots
SERVICES = ("sluice-worker@default.service", "sluice-serve.service")
EXPOSURE_MAX = 20  # in tenths, as systemd-analyze takes it
# What apt and dpkg themselves note down.
NOT_OURS = ("/var/lib/dpkg", "/var/cache", "/var/log", "/proc", "/tmp", "/run", "/root", "/dev",
    "/sys", "/var/lib/systemd/deb-systemd-helper")
RECORDER = """#!/bin/sh
echo "$@" >>/tmp/invoked
"""

# Told to end, pytest tears down what it started.
signal.signal(signal.SIGTERM, signal.default_int_handler)


def load_script(name):
    loader = importlib.machinery.SourceFileLoader(name, str(ROOT / "scripts" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


private_postgres = load_script("private_postgres")


class Machine:
    """A root directory with a Debian in it."""

    def __init__(self, directory):
        self.path = directory

    def run(self, *command, check=True, env=(), timeout_s=RUN_TIMEOUT_S):
        """Runs a command in the root, with processes of its own that end with it."""
        variables = [f"{name}={value}" for name, value in dict(env).items()]
        done = subprocess.run(["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c",
                'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && '
                'exec chroot "$0" /usr/bin/env -i "$@"',
                self.path, "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8",
                "DEBIAN_FRONTEND=noninteractive", *variables, *map(str, command)],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout_s)
        assert not check or done.returncode == 0, (command, done.stdout, done.stderr)
        return done

    def install(self, package):
        shutil.copy(package, self.path / "tmp/sluice.deb")
        self.run("dpkg", "--install", "/tmp/sluice.deb")

    def has(self, path):
        return os.path.lexists(self.path / path.lstrip("/"))

    def text(self, path):
        return (self.path / path.lstrip("/")).read_text()

    def invoked(self):
        """What was asked of systemd since the last time."""
        file = self.path / "tmp/invoked"
        lines = file.read_text().splitlines() if file.exists() else []
        file.unlink(missing_ok=True)
        return lines

    def files(self):
        """Paths, modes, owners and, of regular files, sizes."""
        listed = self.run("find", "/", "-xdev", "-printf", "%p %M %u %g %s\\n").stdout
        found = {}
        for line in listed.splitlines():
            path, mode, *rest = line.rsplit(" ", 4)
            if not path.startswith(NOT_OURS):
                found[path] = (mode, *rest[:2], rest[2] if mode.startswith("-") else "")
        return found


def dependencies(package):
    """Their names; of alternatives the first."""
    field = subprocess.run(["dpkg-deb", "-f", package, "Depends"], check=True, capture_output=True,
        text=True).stdout
    return [re.match(r"\s*([a-z0-9.+-]+)", entry)[1] for entry in field.split(",")]


@pytest.fixture(scope="module")
def directory():
    # PostgreSQL's account goes there, too, and its socket's path must be short.
    path = pathlib.Path(tempfile.mkdtemp(prefix="sluice-deb-", dir="/tmp"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path)


def make_root(archive):
    """A small Debian with what the package depends on, and what tries it, from apt's mirror."""
    sources = [path for path in ["/etc/apt/sources.list",
        *glob.glob("/etc/apt/sources.list.d/*.list"),
        *glob.glob("/etc/apt/sources.list.d/*.sources")] if os.path.exists(path)]
    packages = ["systemd", "man-db", "bash-completion", *dependencies(DEB)]
    archive.parent.mkdir(parents=True, exist_ok=True)
    unfinished = archive.with_suffix(".part.tar")
    made = subprocess.run(["mmdebstrap", "--mode=root", "--variant=minbase", "--quiet",
            f"--include={','.join(packages)}", RELEASE, unfinished, *sources],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=MAKE_TIMEOUT_S)
    assert made.returncode == 0, made.stderr
    unfinished.rename(archive)


@pytest.fixture(scope="module")
def machine(directory):
    """What make_root makes; the package itself is not installed."""
    archive = ROOT / "build/roots/deb.tar"
    if not archive.exists() or time.time() - archive.stat().st_mtime > ROOT_AGE_MAX_S:
        make_root(archive)
    (directory / "root").mkdir()
    subprocess.run(["tar", "--numeric-owner", "-x", "-f", archive, "-C", directory / "root",
        "--exclude=./dev/*"], check=True)
    machine = Machine(directory / "root")
    recorder = machine.path / "usr/bin/deb-systemd-invoke"
    recorder.rename(recorder.with_suffix(".real"))
    recorder.write_text(RECORDER)
    recorder.chmod(0o755)
    machine.before = machine.files()
    # As where systemd runs.
    (machine.path / "run/systemd/system").mkdir(parents=True, exist_ok=True)
    return machine


@pytest.fixture(scope="module")
def older(directory):
    """The package as a lower version."""
    tree = directory / "older"
    subprocess.run(["dpkg-deb", "--raw-extract", DEB, tree], check=True)
    control = tree / "DEBIAN/control"
    control.write_text(re.sub(r"^Version:.*$", "Version: 0.0.1-1", control.read_text(),
        flags=re.M))
    package = directory / "older.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "--build", tree, package], check=True,
        stdout=subprocess.DEVNULL)
    shutil.rmtree(tree)
    return package


@pytest.fixture(scope="module")
def installed(machine, older):
    """First the lower version, with settings that somebody then edits; the tests upgrade it."""
    machine.install(older)
    machine.first_invoked = machine.invoked()
    return machine


@pytest.fixture(scope="module")
def upgraded(installed):
    """Somebody edited one file of settings, wrote another, and upgrades."""
    settings = installed.path / "etc/sluice"
    with open(settings / "sluice.env", "a") as file:
        file.write("SLUICE_LOG_FORMAT=json\n")
    (settings / "worker-gpu.env").write_text("SLUICE_MODELS=gpu\n")
    installed.install(DEB)
    return installed


def test_an_installation_starts_and_enables_nothing(installed):
    assert installed.first_invoked == []
    assert not glob.glob(str(installed.path / "etc/systemd/system/*.wants/sluice*"))


def test_settings_are_for_root_and_the_services_group(installed):
    for name in ("sluice.env", "serve.env", "worker-default.env"):
        shown = installed.run("stat", "-c", "%a %U:%G", f"/etc/sluice/{name}").stdout
        assert shown == "640 root:sluice\n", name
    account = installed.run("getent", "passwd", "sluice").stdout.strip().split(":")
    assert account[6] == "/usr/sbin/nologin" and int(account[2]) < 1000, account


def test_an_upgrade_keeps_settings_and_restarts_what_runs(upgraded):
    assert upgraded.text("/etc/sluice/sluice.env").endswith("SLUICE_LOG_FORMAT=json\n")
    assert upgraded.text("/etc/sluice/worker-gpu.env") == "SLUICE_MODELS=gpu\n"
    assert upgraded.run("stat", "-c", "%a %U:%G", "/etc/sluice/sluice.env").stdout == (
        "640 root:sluice\n")
    assert upgraded.invoked() == ["try-restart sluice-serve.service sluice-worker@*.service"]


def test_the_manual_and_the_commands_completion_are_there(upgraded):
    page = upgraded.run("man", "sluice-worker", env={"MANPAGER": "cat", "MANWIDTH": "80"}).stdout
    assert "--drain-timeout" in page
    # As bash-completion loads it at the first Tab.
    completed = upgraded.run("bash", "-c", ". /usr/share/bash-completion/bash_completion; "
        "_completion_loader sluice; COMP_WORDS=(sluice mod); COMP_CWORD=1; _sluice; "
        "echo $COMPREPLY").stdout
    assert completed == "model\n"
    for path in ("/usr/share/zsh/vendor-completions/_sluice",
        "/usr/share/fish/vendor_completions.d/sluice.fish",
        "/usr/share/doc/sluice/examples/prometheus/alerts.yml",
        "/usr/share/doc/sluice/examples/grafana/dashboard.json",
        "/usr/share/doc/sluice/docs/security.md", "/usr/share/doc/sluice/README.md"):
        assert upgraded.has(path), path


@pytest.mark.parametrize("service", SERVICES)
def test_services_are_well_formed_and_have_few_rights(upgraded, service):
    path = f"/lib/systemd/system/{service}"
    checked = upgraded.run("systemd-analyze", "verify", "--man=yes", path, check=False)
    ours = [line for line in checked.stderr.splitlines() if "sluice" in line]
    assert (checked.returncode, ours) == (0, []), checked.stderr
    rated = upgraded.run("systemd-analyze", "security", "--offline=true", "--no-pager",
        f"--threshold={EXPOSURE_MAX}", service, check=False)
    assert rated.returncode == 0, rated.stdout + rated.stderr


def seconds(text):
    number, unit = re.fullmatch(r"(\d+)(s|min|m)", text).groups()
    return int(number) * (1 if unit == "s" else 60)


@pytest.mark.parametrize("service, command", zip(("sluice-worker@", "sluice-serve"),
    ("worker", "serve")))
def test_systemd_waits_longer_than_a_drain(upgraded, service, command):
    unit = upgraded.text(f"/lib/systemd/system/{service}.service")
    page = upgraded.run("sluice", command, "--help").stdout
    drain = re.search(r"--drain-timeout DURATION \[(\w+)\]", page)[1]
    assert seconds(re.search(r"^TimeoutStopSec=(\w+)$", unit, re.M)[1]) > seconds(drain)
    assert "KillMode=mixed" in unit and "KillSignal" not in unit


@pytest.fixture
def database(upgraded):
    """The URL, in the root, of a PostgreSQL of the machine outside: its socket lies in the root."""
    server = private_postgres.PrivatePostgres(fsync=False, parent=upgraded.path / "tmp")
    try:
        server.start()
        yield server.url().replace(str(upgraded.path), "")
    finally:
        server.remove()


def test_it_works(upgraded, database):
    def sluice(*arguments):
        return upgraded.run("sluice", *arguments, env={"DATABASE_URL": database}).stdout
    version = subprocess.run(["dpkg-deb", "-f", DEB, "Version"], check=True, capture_output=True,
        text=True).stdout.rpartition("-")[0]
    assert sluice("version") == f"sluice {version}\n"
    sluice("migrate")
    work = upgraded.run("bash", "-euc", """
        sluice mock --listen 127.0.0.1:0 >/tmp/mock & mock=$!
        trap 'kill $mock' EXIT
        until url=$(grep -o 'http://.*' /tmp/mock); do kill -0 $mock; done
        sluice model set mine url=$url
        id=$(sluice submit --prompt 'Why is the sky blue?' --model mine)
        sluice worker --once
        sluice task $id --json""", env={"DATABASE_URL": database})
    assert '"solved"' in work.stdout, work.stdout + work.stderr


def test_a_removal_stops_what_runs_and_keeps_settings(upgraded):
    upgraded.invoked()
    upgraded.run("dpkg", "--remove", "sluice")
    assert upgraded.invoked() == ["stop sluice-serve.service sluice-worker@*.service"]
    assert upgraded.has("/etc/sluice/sluice.env") and not upgraded.has("/usr/bin/sluice")


def test_a_purge_leaves_nothing(upgraded):
    wants = upgraded.path / "etc/systemd/system/multi-user.target.wants"
    wants.mkdir(parents=True, exist_ok=True)
    (wants / "sluice-worker@gpu.service").symlink_to("/lib/systemd/system/sluice-worker@.service")
    upgraded.run("dpkg", "--purge", "sluice")
    before, after = upgraded.before, upgraded.files()
    directories = {path for path, (mode, *_) in before.items() if mode.startswith("d")}
    left = {path: facts for path, facts in after.items() if before.get(path) != facts
        and path not in directories}
    # the files of accounts, as they were, and their former versions
    assert {path for path in left if not re.fullmatch(r"/etc/(passwd|group|g?shadow)-", path)} == (
        set()), left
    assert upgraded.run("getent", "passwd", "sluice", check=False).returncode == 2
    assert before.keys() <= after.keys()
