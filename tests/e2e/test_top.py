"""sluice top: one screen that is true, fits the terminal, and leaves the terminal as it was."""
import re
import signal
import termios
import time

import pytest
from conftest import query, wait_for
from queue_tools import add_model, submit_many, wait_ended
from terminal_tools import Terminal

LEAVES_SCREEN = b"\x1b[?1049l"
SHOWS_CURSOR = b"\x1b[?25h"


@pytest.fixture
def url(pg):
    url = pg.database()
    query(url, "insert into sluice.models (name, url, rpm) "
        "values ('open', 'http://127.0.0.1:1', 600), ('paused', 'http://127.0.0.1:1', null), "
        "(E'ev\\x1b[2Jil\\u009b31m', 'http://127.0.0.1:1', null)")
    query(url, """
        update sluice.models set paused = true where name = 'paused';
        select sluice.register_worker('w', 40);select sluice.submit('hello', 'open')
        from generate_series(1, 3)""")
    return url


@pytest.fixture
def top(url):
    """A function that starts `sluice top` on a terminal."""
    terminals = []

    def start(*flags, **terminal):
        terminals.append(Terminal("top", "--database-url", url, "--interval",
            "500ms", *flags, **terminal))
        return terminals[-1]
    yield start
    for terminal in terminals:
        terminal.close()


def frame(sluice, url):
    ended = sluice("top", "--once", "--interval", "500ms", "--database-url", url)
    assert (ended.returncode, ended.stderr) == (0, "")
    lines = ended.stdout.splitlines()
    assert all(len(line) <= 80 for line in lines), ended.stdout
    return lines


def cells(lines, model):
    """A model's row by its headings; what has no heading at this width is not there."""
    return dict(zip(row(lines, "MODEL"), row(lines, model)))


def row(lines, name):
    return next(line for line in lines if line.startswith(name)).split()


def test_one_frame_shows_queues_workers_and_failures(sluice, url, mock, worker):
    add_model(url, "busy", mock("--latency", "10ms-30ms").url, rpm=60_000, max_attempts=1)
    submit_many(url, ["mock:status=400"] * 2 + ["fine"] * 5000, "busy")
    process = worker(url, "--slots", "10", "--models", "busy")
    wait_for(lambda: query(url,
        "select ended > 20 from sluice.call_counts() where model = 'busy'")[0][0])
    lines = frame(sluice, url)
    busy = cells(lines, "busy")
    # Calls that end while others are counted may be counted once more.
    assert (busy["STATE"], busy["QUOTA"][-1]) == ("open", "%") and int(busy["BUSY"]) <= 20
    # Ten slots of 10 to 30 ms: some 500 a second, fewer on a busy machine.
    assert 10 < float(busy["CALLS/S"]) < 1000 and 1 <= int(busy["QUOTA"][:-1]) <= 100
    assert busy["P50"].endswith("s") and busy["P99"].endswith("s")
    assert cells(lines, "open")["QUEUED"] == "3" and cells(lines, "paused")["STATE"] == "paused"
    assert row(lines, "w ")[1:4] == ["alive", "40", "0"]
    assert lines[0].endswith("of 50 slots busy") and "2 workers alive" in lines[0]
    assert row(lines, "busy  ") != row([line for line in lines if "http_400" in line], "busy")
    assert "busy failed http_400 2" in re.sub(r" +", " ", "\n".join(lines))
    assert lines[1].endswith("2 failed in 10 min") and "took p50 " in lines[2]
    assert row(lines, "TENANT")[1:3] == ["SOLVED", "FAILED"] and row(lines, "default")[2] == "2"
    assert process.stop() == 0


def test_a_reader_sees_it_and_control_characters_are_harmless(sluice, url):
    query(url, "create role top_reader login in role sluice_reader")
    lines = frame(sluice, url.replace("user=sluice", "user=top_reader"))
    assert [line for line in lines if line.startswith("ev?[2Jil?31m")]


def test_what_is_no_terminal_gets_one_frame(sluice, url):
    ended = sluice("top", "--database-url", url, "--interval", "500ms", env={"TERM": "xterm"})
    assert ended.returncode == 0 and "MODEL" in ended.stdout and "\x1b" not in ended.stdout


def test_json_is_one_object_a_line(sluice, url):
    ended = sluice("top", "--json", "--database-url", url)
    assert ended.returncode == 0
    assert [line.split('"')[1] for line in ended.stdout.splitlines()] == ["queue"] * 3 + ["worker"]


@pytest.mark.parametrize("leave, code", [("q", 0), (signal.SIGINT, 0), (signal.SIGTERM, 143)])
def test_every_way_out_leaves_the_terminal_as_it_was(top, leave, code):
    terminal = top()
    terminal.wait_for(b"MODEL")
    terminal.wait_for(b"q quit")
    if leave == "q":
        terminal.press(b"q")
    else:
        terminal.process.send_signal(leave)
    assert terminal.wait() == code
    assert LEAVES_SCREEN in terminal.output and SHOWS_CURSOR in terminal.output
    assert termios.tcgetattr(terminal.theirs) == terminal.mode


def test_it_follows_keys_and_the_size_of_the_window(top, url):
    query(url, "insert into sluice.models (name, url) "
        "select 'm' || lpad(n::text, 2, '0'), 'http://127.0.0.1:1' from generate_series(1, 40) n")
    terminal = top()
    terminal.wait_for(b"MODEL 1-15 of 43")
    assert b"m40" not in terminal.read()
    terminal.press(b"j")
    terminal.wait_for(b"2-16")
    terminal.press(b"G")
    terminal.wait_for(b"m40")
    terminal.press(b"g")
    terminal.wait_for(b"1-15 of 43")
    terminal.resize(60, 120)
    terminal.process.send_signal(signal.SIGWINCH)
    terminal.wait_for(b"m40")


def test_question_mark_helps_and_s_sorts(top, url):
    terminal = top()
    terminal.wait_for(b"s sort: trouble")
    terminal.press(b"?")
    terminal.wait_for(b"what keeps calls back")
    terminal.press(b"?")
    terminal.wait_for(b"MODEL")
    terminal.press(b"s")
    terminal.wait_for(b"queued")
    terminal.press(b"q")
    assert terminal.wait() == 0


def test_a_lost_database_is_said_and_waited_for(top, url, pg):
    terminal = top()
    terminal.wait_for(b"MODEL")
    pg.stop("immediate")
    try:
        terminal.wait_for(b"trying again")
    finally:
        pg.start()
    terminal.wait_for(b"in flight")
    terminal.press(b"q")
    assert terminal.wait() == 0


@pytest.mark.parametrize("flags, code, reason", [(["--interval", "10ms"], 2, "500ms"),
        (["--database-url", "postgresql://127.0.0.1:1/x"], 4, "127.0.0.1")])
def test_wrong_calls_are_one_line(sluice, flags, code, reason):
    ended = sluice("top", "--once", *flags)
    assert ended.returncode == code and reason in ended.stderr and ended.stderr.count("\n") == 1


def test_a_terminal_of_unknown_type_gets_one_frame(top):
    terminal = top(term="no-such-terminal")
    terminal.wait_for(b"MODEL")
    assert terminal.wait() == 0 and termios.tcgetattr(terminal.theirs) == terminal.mode
