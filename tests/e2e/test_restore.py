"""An older backup is restored: which calls are made once more, and which never."""
import subprocess
from collections import Counter

import pytest
from conftest import clean_environment, private_postgres, query, wait_for
from queue_tools import (add_model, set_heartbeat_timeout, statuses, submit, submit_many,
    wait_ended)

pytestmark = pytest.mark.plain_build_only

SETTINGS = ["shared_buffers=16MB", "max_connections=50"]
DONE, CALLED, WAITING, LATER = 30, 8, 10, 5
# In mid-call: long enough that none ends before its backend is frozen.
SLOW = "100%:5s"


@pytest.fixture
def servers():
    """A function that makes a PrivatePostgres, not started yet."""
    made = []

    def make():
        made.append(private_postgres.PrivatePostgres(fsync=False, settings=SETTINGS))
        return made[-1]
    yield make
    for server in made:
        server.remove()


def base_backup(servers, running):
    """A copy of the whole cluster, as it is now; a function that starts it, and returns its URL."""
    copy = servers()
    copy.copy(running, "--wal-method=fetch")

    def restore():
        copy.start()
        return copy.url()
    return restore


def dump(servers, running):
    """A dump of the schema, as it is now; a function that restores it into a new database."""
    file = running.directory / "queue.dump"
    arguments = {"env": clean_environment(), "check": True, "timeout": 120}
    with open(file, "wb") as out:
        subprocess.run(["pg_dump", "--format=custom", "--schema=sluice", running.url()],
            stdout=out, **arguments)

    def restore():
        query(running.url(), "create database restored")
        subprocess.run(["pg_restore", "--exit-on-error", "--dbname", running.url("restored"), file],
            **arguments)
        return running.url("restored")
    return restore


def calls(*backends):
    """How often each task was sent to a backend."""
    return Counter(int(task.split(":")[0]) for backend in backends
        for arrival in backend.arrivals() for task in arrival["tasks"])


@pytest.mark.parametrize("back_up", [base_backup, dump])
def test_what_was_not_finished_at_the_backup_is_called_again_and_nothing_else(servers, sluice,
        mock, worker, back_up):
    server, fast, slow = servers(), mock(), mock("--latency", SLOW)
    server.start()
    url = server.url()
    assert sluice("migrate", "--database-url", url).returncode == 0
    set_heartbeat_timeout(url, "2 seconds")
    add_model(url, "fast", fast.url)
    add_model(url, "slow", slow.url)
    first = worker(url)
    done = submit_many(url, [f"done {i}" for i in range(DONE)], "fast")
    wait_ended(url, DONE)
    query(url, "select sluice.pause('fast')")
    waiting = submit_many(url, [f"waiting {i}" for i in range(WAITING)], "fast")
    called = submit_many(url, [f"called {i}" for i in range(CALLED)], "slow")
    wait_for(lambda: len(slow.arrivals()) == CALLED, what="the calls")
    slow.process.freeze()
    assert query(url, "select count(*) from sluice.lease") == [(CALLED,)]

    restore = back_up(servers, server)

    slow.process.resume()
    query(url, "select sluice.resume('fast')")
    wait_ended(url, DONE + CALLED + WAITING)
    later = [submit(url, f"later {i}", "fast", idempotency_key=f"key {i}") for i in range(LATER)]
    wait_ended(url, DONE + CALLED + WAITING + LATER)
    assert first.stop() == 0
    answers = dict(query(url, "select id, answer from sluice.tasks"))
    # A backend writes down whom it has answered a moment later.
    wait_for(lambda: calls(fast, slow) == Counter(done + waiting + called + later), what="its log")

    restored = restore()
    unfinished = query(restored, "select count(*) from sluice.tasks "
        "where status in ('queued', 'unsolved', 'processing')")
    assert unfinished == [(CALLED + WAITING,)]
    sluice("doctor", "--database-url", restored)
    query(restored, "select sluice.resume('fast')")  # paused, as it was
    again = worker(restored)
    assert wait_ended(restored, DONE + CALLED + WAITING) == {"solved": DONE + CALLED + WAITING}
    twice = Counter(done + waiting + called + later) + Counter(waiting + called)
    wait_for(lambda: calls(fast, slow) == twice, what="its log")
    # Calls that had begun were charged, and are written down as perhaps paid for.
    assert query(restored, "select task_id from sluice.attempts where kind = 'lost' order by 1"
        ) == [(task,) for task in sorted(called)]
    assert dict(query(restored, "select id, answer from sluice.tasks where id = any(%s)",
        [done])) == {task: answers[task] for task in done}
    # What came later is gone, and comes anew under its key.
    assert query(restored, "select count(*) from sluice.tasks where id = any(%s)",
        [later]) == [(0,)]
    anew = submit(restored, "later 0", "fast", idempotency_key="key 0")
    # A worker of before that still had a call of a lost task would store its answer for this one.
    assert back_up is base_backup or anew > later[-1]
    wait_ended(restored, DONE + CALLED + WAITING + 1)
    assert again.stop() == 0 and sum(statuses(restored).values()) == DONE + CALLED + WAITING + 1
