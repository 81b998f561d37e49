"""The manual's pages and the completion of shells: made from the flags, hence complete."""
import os
import re
import shlex
import subprocess

import pytest
from conftest import BINARY, clean_environment
from terminal_tools import Terminal

WORDS = ("help", "version")  # commands that are words for flags
SHELLS = ("bash", "zsh", "fish")


def names_in(help_text):
    return re.findall(r"^  ([a-z-]+) ", help_text.partition("Subcommands:")[2], re.M)


def commands(sluice):
    return [name for name in names_in(sluice("--help").stdout) if name not in WORDS]


@pytest.fixture(scope="module")
def pages(sluice, tmp_path_factory):
    """The manual's pages as man shows them, by name."""
    directory = tmp_path_factory.mktemp("manual")
    assert sluice("manual", "--dir", directory).returncode == 0
    return {path.stem: rendered(path) for path in directory.iterdir()}


def rendered(path):
    """Without a word of complaint."""
    man = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", path],
        env=clean_environment({"LC_ALL": "C.UTF-8", "MANPAGER": "cat", "MANWIDTH": "80",
            "MANROFFOPT": "-ww", "GROFF_NO_SGR": "1"}),
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert man.returncode == 0 and man.stderr == "", (path.name, man.stderr)
    return re.sub(r".\x08", "", man.stdout)


@pytest.mark.plain_build_only
def test_every_command_has_a_page(sluice, pages):
    assert set(pages) == {"sluice", *(f"sluice-{name}" for name in commands(sluice))}
    for name, page in pages.items():
        assert re.search(rf"^NAME\n +{name} - \S", page, re.M), page[:200]
    assert all(f"sluice-{name}(1)" in pages["sluice"] for name in commands(sluice))


@pytest.mark.plain_build_only
def test_every_flag_of_help_is_in_the_page(sluice, pages):
    calls = [[], *([name] for name in commands(sluice) if name != "psql")]
    for call in calls:
        text = sluice(*call, "--help").stdout
        page = pages["-".join(["sluice", *call[:1]])]
        # one that is not cut by the end of a line
        assert set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", text)) <= set(
            re.findall(r"--?[a-z][a-z-]*", page)), call
        if len(call) == 1:
            calls += [[*call, nested] for nested in names_in(text)]
    assert ["model", "close"] in calls
    assert "SLUICE_DRAIN_TIMEOUT" in pages["sluice-worker"]


def test_a_page_goes_to_stdout_and_a_wrong_name_is_a_wrong_call(sluice, tmp_path):
    assert sluice("manual").stdout.startswith('.TH "sluice" 1')
    assert sluice("manual", "dead-letters").stdout.startswith('.TH "sluice\\-dead\\-letters" 1')
    for name in ("no-command", "help"):
        run = sluice("manual", name)
        assert run.returncode == 2 and f"unknown command: {name}" in run.stderr, run.stderr
    run = sluice("manual", "--dir", tmp_path / "none")
    assert run.returncode == 1 and "cannot write" in run.stderr, run.stderr
    assert sluice("completion", "csh").returncode == 2


def test_what_scripts_ask_for(sluice):
    def complete(*words):
        return [line.partition("\t")[0] for line in sluice("complete", *words).stdout.splitlines()]
    assert complete("mod") == ["model"]
    assert complete("model", "c") == ["close"]
    assert complete("worker", "--drain") == ["--drain-timeout"]
    assert complete("status", "--log-level", "w") == ["warning"]
    assert complete("key", "create", "--scope=read,s") == ["--scope=read,submit"]
    assert complete("job", "start", "mo") == ["move"]
    assert complete("submit", "") == [":file"]
    assert complete("help", "dead") == ["dead-letters"]
    assert complete("psql", "--") == []
    # It is for programs.
    assert "complete" not in names_in(sluice("--help").stdout)
    assert set(complete("")) == set(names_in(sluice("--help").stdout))


@pytest.fixture
def script(sluice, tmp_path):
    """A function that writes a shell's script, and tells where."""
    def write(shell):
        path = tmp_path / ("_sluice" if shell == "zsh" else f"sluice.{shell}")
        path.write_text(sluice("completion", shell).stdout)
        return path
    return write


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_is_one(script, shell):
    check = subprocess.run([shell, "-n", script(shell)], capture_output=True, text=True, timeout=60)
    assert (check.returncode, check.stderr) == (0, "")


@pytest.mark.parametrize("words, found", [
    (["mod"], ["model"]),
    (["worker", "--once", "--drain"], ["--drain-timeout"]),
    (["status", "--log-level", "=", "w"], ["warning"]),
    (["status", "--log-level", "="], ["trace", "debug", "info", "warning", "error", "off"]),
    (["submit", "--on-error", "s"], ["skip"]),
    (["serve", "--listen", "127.0.0.1", ":", "80", "--tls-c"], ["--tls-cert"]),
    (["serve", "--slots"], [])])
def test_bash_completes(script, words, found):
    """As readline calls the function: with words cut at = and :."""
    command = [str(BINARY), *words]
    calls = (f". {shlex.quote(str(script('bash')))}; COMP_WORDS=({shlex.join(command)}); "
        f"COMP_CWORD={len(words)}; _sluice; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
    bash = subprocess.run(["bash", "--norc", "-c", calls], env=clean_environment(),
        capture_output=True, text=True, timeout=60)
    assert (bash.stdout.split(), bash.stderr) == (found, "")


FRESH = {"bash": ["--norc", "--noprofile"], "zsh": ["-f"], "fish": ["--no-config"]}
LOAD = {"bash": ". {}", "zsh": "autoload -U compinit; compinit -D; . {}", "fish": "source {}"}


@pytest.mark.parametrize("shell", SHELLS)
def test_the_tab_key_completes(sluice, script, shell, tmp_path):
    """vers, Tab and Enter: the version, which nothing else prints."""
    version = sluice("version").stdout.strip().encode()
    terminal = Terminal(*FRESH[shell], "-i", columns=200, program=shell,
        env={"PATH": f"{BINARY.parent}:{os.environ['PATH']}", "HOME": str(tmp_path)})
    try:
        terminal.press(LOAD[shell].format(script(shell)).encode() + b"; echo lo''aded\n")
        terminal.wait_for(b"loaded")
        terminal.press(b"sluice vers\t\n")
        terminal.wait_for(version)
    finally:
        terminal.close()
