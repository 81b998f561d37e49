"""What scripts/check_hardening finds in programs, and that it finds nothing in ours."""
import subprocess

import pytest
from conftest import BINARY, ROOT, unless_instrumented

pytestmark = pytest.mark.plain_build_only

CHECK = ROOT / "scripts/check_hardening"
PROGRAM = """#include <stdio.h>
#include <string.h>
int main(int count, char** arguments) {
  char text[64];
  strcpy(text, arguments[count - 1]);
  return puts(text);
}
"""
DEFENCES = ("-O2", "-fpie", "-pie", "-fstack-protector-strong", "-D_FORTIFY_SOURCE=2",
    "-fcf-protection", "-Wl,-z,relro", "-Wl,-z,now", "-Wl,-z,noexecstack")


def check(*files):
    return subprocess.run([CHECK, *files], text=True, capture_output=True)


@unless_instrumented
def test_our_binary_has_every_defence():
    run = check(BINARY)
    assert run.returncode == 0, run.stdout


@pytest.mark.parametrize("other, finding", [
    ((), None),
    (("-fno-pie", "-no-pie"), "no position-independent program"),
    (("-Wl,-z,norelro",), "relocations stay writable"),
    (("-Wl,-z,lazy",), "bound when they are first called"),
    (("-Wl,-z,execstack",), "stack is executable"),
    (("-Wl,-rpath,/tmp",), "search path of its own"),
    (("-fno-stack-protector",), "no stack protector"),
    (("-U_FORTIFY_SOURCE",), "no checked function of libc"),
    (("-fcf-protection=none",), "does not begin with a landing pad")])
def test_a_missing_defence_is_named(tmp_path, other, finding):
    file = tmp_path / "program"
    subprocess.run(["g++", "-x", "c++", "-", *DEFENCES, *other, "-o", file], check=True, text=True,
        input=PROGRAM, stderr=subprocess.DEVNULL)
    run = check(file)
    if finding is None:
        assert run.returncode == 0, run.stdout
    else:
        assert run.returncode == 1 and finding in run.stdout and run.stdout.startswith(f"{file}: ")
