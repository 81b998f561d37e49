"""The command line itself: help, versions, and errors that name the way out."""
import pytest
from conftest import ROOT, load_script


def test_help_and_version_are_commands_too(sluice):
    assert sluice("help").stdout == sluice("--help").stdout
    assert sluice("help", "status").stdout == sluice("status", "--help").stdout
    assert sluice("help", "model", "close").stdout == sluice("model", "close", "--help").stdout
    assert sluice("version").stdout == sluice("--version").stdout
    listed = sluice("--help").stdout
    assert "\n  help " in listed and "\n  version " in listed
    assert all(sluice(*command).returncode == 0 for command in (["help"], ["help", "status"], ["version"]))


@pytest.mark.parametrize("arguments, reason", [
    (["statsu"], "unknown command: statsu; did you mean status?"),
    (["workers"], "unknown command: workers; did you mean worker?"),
    (["deadletters"], "unknown command: deadletters; did you mean dead-letters?"),
    (["xyzzy"], "unknown command: xyzzy; see sluice --help"),
    (["help", "statsu"], "unknown command: statsu; did you mean status?"),
    (["status", "--jsno"], "unknown flag: --jsno; did you mean --json?"),
    (["status", "--databse-url=x"], "unknown flag: --databse-url; did you mean --database-url?"),
    (["status", "--frobnicate"], "unknown flag: --frobnicate; see sluice status --help"),
    (["model", "ls", "--jsn"], "unknown flag: --jsn; did you mean --json?"),
    (["model", "lss"], "unknown command: model lss; did you mean model ls?"),
    (["model"], "model needs one of ls, set, pause, resume, close,"),
    (["tenant", "delete", "x"], "unknown command: tenant delete; tenant needs one of ls, set, rm"),
    (["model", "ls", "gpt"], "one argument too many: gpt; see sluice model ls --help"),
    (["status", "now"], "one argument too many: now; see sluice status --help"),
    (["model", "set", "m", "rmp=60"], "'rmp' is not a setting of a model; did you mean rpm?"),
    (["submit", "--prompt", "x", "--priority", "hot"], "--priority: Value hot not in range -100 to 100"),
    (["submit", "--prompt", "x", "--priority", "101"], "--priority: Value 101 not in range"),
    (["worker", "--slots", "many"], "--slots: Value many not in range"),
    (["route", "set", "r", "m", "heavy"], "'heavy' is no weight"),
])
def test_a_wrong_call_is_one_line_with_the_way_out(sluice, arguments, reason):
    # An address where nobody listens: what is wrong with the call is said before anybody is asked.
    run = sluice(*arguments, env={"DATABASE_URL": "postgresql://127.0.0.1:1/x"})
    assert run.returncode == 2, run.stderr
    assert run.stderr.startswith("sluice: ") and reason in run.stderr and run.stderr.count("\n") == 1, run.stderr


def test_the_rows_of_the_demo_fit_80_columns(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    lines = load_script("demo_lab").row_lines("at 1200 rpm", "arrivals per second " + " ".join(["25"] * 20))
    assert all(len(line) <= 80 for line in lines) and " ".join(lines).split()[-21:] == ["second", *["25"] * 20]
