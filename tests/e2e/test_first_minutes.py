"""What scripts/demo and scripts/build say to somebody who sees them first, terminal or not."""
import os
import re
import shutil
import subprocess

import pytest
from conftest import ROOT, RUN_TIMEOUT_S, clean_environment

pytestmark = pytest.mark.plain_build_only

STAND_INS = {  # of what compiles and of what runs for a minute
    "build": "#!/bin/sh\necho compiled\n",
    "demo_lab": "import os, sys\nprint(os.environ.get('SLUICE_BINARY'), *sys.argv[1:])\n"}
PORTABLE = "build/packages/portable/sluice"


def run(tree, script, *arguments):
    return subprocess.run([tree / "scripts" / script, *arguments], env=clean_environment(),
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=RUN_TIMEOUT_S)


def write(path, text, time_s, mode=0o644):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    os.utime(path, (time_s, time_s))


@pytest.fixture
def tree(tmp_path):
    """A tree with scripts/demo and scripts/setup, and sources of the second 1,000."""
    for name in ("demo", "setup"):
        (tmp_path / "scripts").mkdir(exist_ok=True)
        shutil.copy(ROOT / "scripts" / name, tmp_path / "scripts" / name)
    for name, text in STAND_INS.items():
        write(tmp_path / "scripts" / name, text, 1000, 0o755)
    for file in ("meson.build", "src/main.cc", "sql/a.sql", "web/a.js", "packaging/portable/a.c"):
        write(tmp_path / file, "", 1000)
    return tmp_path


def test_the_demo_says_first_what_it_will_do(tree):
    said = run(tree, "demo", "--tasks", "5").stdout
    assert re.fullmatch(r"The demo will\n(  install .*\n.*\n)?"
        r"  compile  1 files: about 1 min on \d+ processors, less with a ccache\n"
        r"  run      about a minute\ncompiled\nNone --tasks 5\n", said), said


def test_the_demo_takes_a_portable_file_that_is_newer_than_the_sources(tree):
    write(tree / PORTABLE, "", 2000, 0o755)
    assert f"  take     {PORTABLE}; with --compile" in run(tree, "demo").stdout
    assert run(tree, "demo").stdout.endswith(f"{tree / PORTABLE}\n")
    assert run(tree, "demo", "--compile").stdout.endswith("compiled\nNone\n")


def test_the_demo_takes_what_is_compiled_already(tree):
    write(tree / PORTABLE, "", 2000, 0o755)
    write(tree / "build/sluice", "", 1500, 0o755)
    assert run(tree, "demo").stdout.endswith("compiled\nNone\n")


def test_the_demo_offers_a_portable_file_of_older_sources(tree):
    write(tree / PORTABLE, "", 2000, 0o755)
    write(tree / "sql/a.sql", "", 3000)
    said = run(tree, "demo").stdout
    assert "older sources: scripts/demo --portable takes it" in said and "compiled" in said, said
    assert run(tree, "demo", "--portable").stdout.endswith(f"{tree / PORTABLE}\n")


def test_the_demo_says_how_a_portable_file_is_made(tree):
    done = run(tree, "demo", "--portable")
    assert done.returncode == 1 and "scripts/package portable makes it" in done.stderr, done


def test_a_build_without_a_terminal_has_a_line_for_each_step(tree):
    shutil.copy(ROOT / "scripts/build", tree / "scripts/build")
    (tree / "meson.build").write_text("project('small', 'c')\nexecutable('sluice', 'a.c')\n")
    (tree / "a.c").write_text("int main(void) { return 0; }\n")
    done = run(tree, "build", "sluice")
    assert done.returncode == 0 and done.stdout == "", done
    steps = [line for line in done.stderr.splitlines() if re.match(r"\[\d/2\] ", line)]
    assert len(steps) == 2, done.stderr
    again = run(tree, "build", "sluice")
    assert (again.returncode, again.stdout, again.stderr) == (0, "", ""), again
