"""What a worker and a server leave to whoever gets into their process, or stands beside it as the
same user."""
import os
import pwd
import re
import shutil
import subprocess
import tempfile

import pytest

from conftest import BINARY, Monitor, unless_instrumented

CAP_DAC_OVERRIDE = 1 << 1
PASSWORD = "hunter2-of-the-database"


def status_of(pid):
    with open(f"/proc/{pid}/status") as file:
        return dict(re.findall(r"^(\w+):\s+(\S.*)$", file.read(), re.M))


def kept_capabilities(pid):
    fields = status_of(pid)
    kept = 0
    for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        kept |= int(fields[name], 16)
    return kept


def test_a_worker_and_a_server_keep_no_capability_but_to_reach_files(pg, worker, server):
    url = pg.database()
    working = worker(url, "--http", "127.0.0.1:0")
    Monitor(working).wait_until("listen", 200)
    for process in (server(url), working):
        assert kept_capabilities(process.pid) & ~CAP_DAC_OVERRIDE == 0
        assert status_of(process.pid)["NoNewPrivs"] == "1"


@unless_instrumented
@pytest.mark.skipif(os.geteuid() != 0, reason="only root starts a process of another user")
def test_memory_and_environment_are_hidden_from_processes_of_the_same_user(pg, tmp_path):
    # the private server's account: its socket is in a directory of that user
    user = pwd.getpwnam("postgres")
    directory = tempfile.mkdtemp()
    os.chmod(directory, 0o755)
    binary = shutil.copy(BINARY, directory)
    process = subprocess.Popen([binary, "serve", "--listen", "127.0.0.1:0",
        "--database-url", pg.database()],
                               user=user.pw_uid, group=user.pw_gid,
                               extra_groups=[], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, cwd="/", env={"SECRET": "s"})
    try:
        assert any(line.startswith(b"listening") for line in process.stdout)
        peek = subprocess.run(["cat", f"/proc/{process.pid}/environ"], user=user.pw_uid,
            group=user.pw_gid, extra_groups=[], capture_output=True)
        assert peek.returncode != 0 and b"SECRET" not in peek.stdout
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        shutil.rmtree(directory)


def with_password(url, form):
    database, parameters = re.fullmatch(r"postgresql:///(\w+)\?(.*)", url).groups()
    return {"url": f"postgresql://sluice:{PASSWORD}@/{database}?{parameters}",
        "parameter": f"{url}&password={PASSWORD}",
        "pairs": f"dbname={database} password='{PASSWORD}' " + parameters.replace("&", " ")}[form]


@pytest.mark.parametrize("flag", ["--database-url", "--direct-url"])
@pytest.mark.parametrize("form", ["url", "parameter", "pairs"])
@pytest.mark.parametrize("joined", [False, True])
def test_a_password_on_the_command_line_does_not_stay_in_the_list_of_processes(pg,
        started, flag, form, joined):
    url = pg.database()
    named = [f"{flag}={with_password(url, form)}"] if joined else [flag, with_password(url, form)]
    other = ["--database-url", url] if flag == "--direct-url" else []
    process = started("worker", "--http", "127.0.0.1:0", *named, *other)
    Monitor(process).wait_until("listen", 200)
    with open(f"/proc/{process.pid}/cmdline") as file:
        shown = file.read()
    assert PASSWORD not in shown and "***" in shown
    assert not other or url in shown, "what holds no password is hidden, too"


@unless_instrumented
def test_the_binary_is_hardened():
    headers = subprocess.run(["readelf", "-Wlhd", BINARY], capture_output=True,
        text=True, check=True).stdout
    symbols = subprocess.run(["readelf", "-Ws", "--dyn-syms", BINARY], capture_output=True,
        text=True, check=True).stdout
    assert re.search(r"Type:\s+DYN \(Position-Independent Executable", headers)
    assert "GNU_RELRO" in headers and re.search(r"FLAGS.*(BIND_NOW|NOW)", headers)
    assert re.search(r"GNU_STACK\s.*RW ", headers), "the stack is executable"
    assert "__stack_chk_fail" in symbols
