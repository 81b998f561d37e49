"""What a worker logs does not hold it up."""
import os
import signal
import subprocess

import pytest
from conftest import BINARY, clean_environment, private_postgres, wait_for
from queue_tools import add_model, submit_many, wait_ended

TASKS = 2000  # some 200 KB of lines, where a pipe has room for 64


@pytest.fixture
def unread_worker():
    """A function that starts a debugging worker whose stderr is a pipe: the process; nobody
    reads."""
    started = []

    def start(url):
        started.append(subprocess.Popen([BINARY, "worker", "--database-url", url, "--log-level",
                    "debug"], env=clean_environment(), stderr=subprocess.PIPE,
                preexec_fn=lambda: private_postgres.die_with_parent(signal.SIGKILL)))
        return started[-1]
    yield start
    for process in started:
        process.kill()
        process.wait()
        process.stderr.close()


def test_a_worker_whose_log_nobody_reads_goes_on_and_says_later_what_was_lost(pg, mock,
        unread_worker):
    url = pg.database()
    add_model(url, "m", mock("--latency", "100%:0ms").url)
    submit_many(url, [f"prompt {i}" for i in range(TASKS)])
    process = unread_worker(url)
    assert wait_ended(url, TASKS, 60) == {"solved": TASKS}
    os.set_blocking(process.stderr.fileno(), False)
    read = b""

    def has_said():
        nonlocal read
        submit_many(url, ["one more"])
        read += process.stderr.read() or b""
        return b"dropped: nobody read stderr" in read
    wait_for(has_said, 30, "the word of lost lines")
    process.terminate()
    assert process.wait(30) == 0
