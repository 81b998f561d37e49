"""The command line itself: help, versions, and errors that name the way out."""
import re
import subprocess

import pytest
from conftest import BINARY, ROOT, clean_environment, load_script, query
from queue_tools import add_model, as_user

INDENT = " " * 30  # of what a flag's description goes on with


@pytest.mark.plain_build_only
def test_help_is_set_for_80_columns(sluice):
    commands = re.findall(r"^  ([a-z-]+) ", sluice("--help").stdout.partition("Subcommands:")[2],
        re.M)
    assert {"up", "migrate", "submit", "mock"} < set(commands)
    nested = [["model", "close"], ["model", "set"], ["tenant", "set"],
        ["route", "set"], ["key", "create"]]
    for command in [[], *([one] for one in commands if one not in ("psql", "version")), *nested]:
        lines = sluice(*command, "--help").stdout.splitlines()
        for line, following in zip(lines, lines[1:]):
            assert len(line) <= 80 and line == line.rstrip(), (command, line)
            if re.match(INDENT + r"[^(]", line) and following.startswith(INDENT):
                assert len(f"{line} {following.split()[0]}".encode()) > 80, (command,
                    line, following)
            if line and not line.startswith(" "):
                # no word by itself, left over
                assert " " in line or line.endswith(":"), (command, line)


def test_help_names_the_levels_of_the_log_once(sluice):
    assert sluice("--help").stdout.count("warning") == 1


def test_help_names_the_variable_of_each_flag_that_has_one(sluice):
    worker = sluice("worker", "--help").stdout
    flags = set(re.findall(r"^  --([a-z-]+)", worker, re.M))
    assert {"slots", "once"} < flags
    for flag in flags:
        assert f"(Env:SLUICE_{flag.upper().replace('-', '_')})" in worker
    assert "(Env:" not in sluice("cancel", "--help").stdout


def test_help_and_version_are_commands_too(sluice):
    assert sluice("help").stdout == sluice("--help").stdout
    assert sluice("help", "status").stdout == sluice("status", "--help").stdout
    assert sluice("help", "model", "close").stdout == sluice("model", "close", "--help").stdout
    assert sluice("version").stdout == sluice("--version").stdout
    listed = sluice("--help").stdout
    assert "\n  help " in listed and "\n  version " in listed
    assert all(sluice(*command).returncode == 0
        for command in (["help"], ["help", "status"], ["version"]))


def test_help_says_what_unsolved_means(sluice):
    for command in ("tasks", "export"):
        shown = " ".join(sluice(command, "--help").stdout.split())
        assert "unsolved (waits for its time, or for a budget)" in shown


def test_help_lists_causes_and_runs_no_exclusions_into_the_text(sluice):
    for command in ("set", "rm"):
        text = " ".join(sluice("fallback", command, "--help").stdout.split())
        assert "context_too_long, content_refused, over_budget or breaker_open" in text
    assert "Excludes" not in sluice("model", "close", "--help").stdout


@pytest.mark.parametrize("arguments, reason", [
    (["statsu"], "unknown command: statsu; did you mean status?"),
    (["workers"], "unknown command: workers; did you mean worker?"),
    (["deadletters"], "unknown command: deadletters; did you mean dead-letters?"),
    (["wait", "7"], "unknown command: wait; did you mean task?"),
    (["list"], "unknown command: list; did you mean tasks?"),
    (["xyzzy"], "unknown command: xyzzy; see sluice --help"),
    (["help", "statsu"], "unknown command: statsu; did you mean status?"),
    (["status", "--jsno"], "unknown flag: --jsno; did you mean --json?"),
    (["status", "--databse-url=x"], "unknown flag: --databse-url; did you mean --database-url?"),
    (["status", "--frobnicate"], "unknown flag: --frobnicate; see sluice status --help"),
    (["model", "ls", "--jsn"], "unknown flag: --jsn; did you mean --json?"),
    (["model", "lss"], "unknown command: model lss; did you mean model ls?"),
    (["model"], "model needs one of ls, set, pause, resume, close,"),
    (["model", "list"], "unknown command: model list; did you mean model ls?"),
    (["tenant", "delete", "x"], "unknown command: tenant delete; did you mean tenant rm?"),
    (["tenant", "close", "x"], "unknown command: tenant close; tenant needs one of ls, set, rm"),
    (["model", "ls", "gpt"], "one argument too many: gpt; see sluice model ls --help"),
    (["status", "now"], "one argument too many: now; see sluice status --help"),
    (["model", "set", "m", "rmp=60"], "'rmp' is not a setting of a model; did you mean rpm?"),
    (["submit", "--prompt", "x", "--priority", "hot"],
        "--priority: Value hot not in range"),
    (["submit", "--prompt", "x", "--priority", "101"], "--priority: Value 101 not in range"),
    (["worker", "--slots", "many"], "--slots: Value many not in range"),
    (["route", "set", "r", "m", "heavy"], "'heavy' is no weight"),
    (["key", "create", "k", "--tenant", ""], "--tenant is empty: give it a value"),
    (["cancel", "--tenant="], "--tenant: 1 required TEXT missing"),
    (["model", "set", "m"], "sluice: KEY=VALUE is required; see sluice model set --help"),
    (["explain", "abc"], "sluice: ID is a number, not abc; see sluice explain --help"),
    (["route", "set", "r"], "sluice: MODEL is required; see sluice route set --help"),
    (["job", "start"], "sluice: action is required; see sluice job start --help"),
    (["key", "create", "k", "--scope", "root"], "see sluice key create --help"),
    (["model", "close", "m", "--for", "1h", "--forever"], "--for excludes --forever"),
    (["model", "close", "m", "--for", "1h", "--until", "2090-01-01"], "--for excludes --until"),
    (["model", "close", "m", "--until", "2090-01-01", "--forever"], "--until excludes --forever")])
def test_a_wrong_call_is_one_line_with_the_way_out(sluice, arguments, reason):
    # An address where nobody listens: what is wrong with the call is said before anybody is asked.
    run = sluice(*arguments, env={"DATABASE_URL": "postgresql://127.0.0.1:1/x"})
    assert run.returncode == 2, run.stderr
    assert run.stderr.startswith("sluice: ") and reason in run.stderr and run.stderr.count(
        "\n") == 1, run.stderr


@pytest.mark.parametrize("command, name, value", [("status", "LOG_LEVEL", "loud"),
    ("worker", "SLOTS", "many"), ("worker", "SLOTS", "1000000"), ("submit", "PRIORITY", "101")])
def test_a_variable_is_refused_as_its_flag_is(sluice, command, name, value):
    run = sluice(command, env={f"SLUICE_{name}": value})
    flag = "--" + name.lower().replace("_", "-")
    assert run.returncode == 2 and run.stderr.startswith(f"sluice: {flag}: "), run.stderr
    assert run.stderr == sluice(command, f"{flag}={value}").stderr


def test_a_database_that_is_away_is_one_line_without_holes(sluice):
    run = sluice("status", "--database-url", "postgresql://127.0.0.1:1/x")
    assert run.returncode == 4 and "refused. Is the server running" in run.stderr
    assert run.stderr.count("\n") == 1 and "\t" not in run.stderr and "  " not in run.stderr


@pytest.mark.parametrize("command", ["status", "worker", "serve"])
def test_a_database_that_cannot_be_reached_says_whether_one_was_named(sluice, tmp_path, command):
    run = sluice(command, cwd=tmp_path)
    assert run.returncode == 4 and run.stderr.startswith("sluice: database unreachable: ")
    assert run.stderr.endswith(" (no database is named: --database-url or DATABASE_URL names one, "
        "and `sluice up` makes one)\n")
    for named in ({"DATABASE_URL": "postgresql://127.0.0.1:1/x"}, {"PGHOST": "127.0.0.1",
            "PGPORT": "1"}):
        run = sluice(command, env=named, cwd=tmp_path)
        assert run.returncode == 4 and run.stderr.startswith("sluice: database unreachable: ")
        assert run.stderr.endswith(
            " (named by --database-url, SLUICE_DATABASE_URL, DATABASE_URL or PG*)\n")


def test_a_database_of_up_that_has_ended_says_start_it_again(sluice, tmp_path):
    socket = tmp_path / "sluice-data" / "pgdata"
    run = sluice("status", "--database-url", f"postgresql:///sluice?host={socket}")
    assert run.stderr.endswith(" (start `sluice up` again, whose database it is)\n")


def test_what_standard_output_does_not_take_is_told(pg):
    url = pg.database()
    add_model(url, "m", "http://127.0.0.1:1")
    for command in (["key", "create", "k"], ["status"], ["model", "ls"], ["migrate", "sql"],
            ["submit", "--model", "m", "--prompt", "p", "--dry-run"], ["version"], ["help", "key"]):
        with open("/dev/full", "wb") as full:
            run = subprocess.run([BINARY, *command], stdout=full, stderr=subprocess.PIPE,
                text=True, timeout=60, env=clean_environment({"DATABASE_URL": url}))
        assert run.returncode == 1, command
        assert run.stderr.startswith("sluice: standard output takes no more"), run.stderr
        if command[0] == "key":
            [(key,)] = query(url, "select id from sluice.api_key where revoked_at is null")
            assert f"; sluice key revoke {key} ends it\n" in run.stderr


def test_a_key_that_is_named_by_its_name_is_told_where_its_id_is(sluice, pg):
    run = sluice("key", "revoke", "my-program", "--database-url", pg.database())
    assert run.stderr == ('sluice: no key in force has the ID "my-program" '
        "(sluice key ls lists them)\n")


def test_a_login_that_may_not_is_told_which_role_may(sluice, pg):
    url = pg.database()
    query(url, "drop role if exists a_submitter; "
        "create role a_submitter login in role sluice_submitter")
    for command in (["status"], ["model", "ls"], ["key", "ls"]):
        run = sluice(*command, "--database-url", as_user(url, "a_submitter"))
        assert run.returncode == 1 and "permission denied" in run.stderr, run.stderr
        assert ("sluice_reader" in run.stderr and "sluice_admin may do everything" in run.stderr
            and run.stderr.count("\n") == 1), run.stderr


def test_the_rows_of_the_demo_fit_80_columns(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    lines = load_script("demo_lab").row_lines("at 1200 rpm",
        "arrivals per second " + " ".join(["25"] * 20))
    assert all(len(line) <= 80 for line in lines) and " ".join(lines).split()[-21:] == ["second",
        *["25"] * 20]
    lines = load_script("demo_lab").row_lines("",
        "worst window 1 s: 16/17, 5 s: 56/57, 10 s: 105/106; long-run use 98.8%")
    assert not any(line.endswith("-") for line in lines)
