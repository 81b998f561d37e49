"""Extra calls of a task that takes long: the first answer wins, and the budget and the breaker are
followed."""
import collections
import json
import threading
import time

import pytest
from conftest import query, wait_for
from queue_tools import add_model, assert_each_ended_once, submit, submit_many, wait_ended
from scripted_backend import ScriptedBackend, response

EARLY_S = 0.05  # the backend's clock begins when the connection is there
LATE_S = 5      # what an extra call may come too late on a busy machine


class Slow:
    """Calls of one prompt: all but the last one of `calls` wait until the worker hangs up."""

    def __init__(self, calls):
        self.calls = calls
        self.began_s, self.aborted = [], 0
        self.lock = threading.Lock()

    def __call__(self, connection, headers, body):
        with self.lock:
            self.began_s.append(time.monotonic())
            number = len(self.began_s)
        if number < self.calls:
            connection.recv(1)  # nothing comes but the end
            with self.lock:
                self.aborted += 1
            return
        answer(f"call {number}")(connection, headers, body)


def answer(text, after_s=0):
    body = json.dumps({"choices": [{"index": 0, "message": {"role": "assistant", "content": text},
        "finish_reason": "stop"}]})

    def script(connection, *_):
        time.sleep(after_s)
        connection.sendall(response(200, body))
    return script


def test_the_first_of_several_calls_wins_and_the_others_are_aborted(pg, worker):
    url, slow = pg.database(), Slow(3)
    with ScriptedBackend({"slow": slow, "quick": answer("at once")}) as backend:
        add_model(url, "m", backend.url, api="openai-chat", hedge_after="1 second", hedge_budget=1)
        ids = [submit(url, "slow"), submit(url, "quick")]
        worker(url)
        assert wait_ended(url, 2) == {"solved": 2}
        wait_for(lambda: slow.aborted == 2, 20, "the other calls to end")
        second_s, third_s = (began - slow.began_s[0] for began in slow.began_s[1:])
        assert 1 - EARLY_S < second_s < 1 + LATE_S
        assert 2 - EARLY_S < third_s < 2 + LATE_S
        assert backend.calls.count("slow") == 3 and backend.calls.count("quick") == 1
    assert query(url, "select answer, attempts from sluice.tasks where id = %s",
        [ids[0]]) == [("call 3", 1)]
    assert query(url, "select task_id, kind from sluice.attempts order by started_at") == [(ids[0],
        "hedged")] * 2
    assert_each_ended_once(url, ids)


def test_no_task_has_more_extra_calls_than_hedge_max(pg, worker):
    url, slow = pg.database(), Slow(99)
    with ScriptedBackend({"slow": slow}) as backend:
        add_model(url, "m", backend.url, api="openai-chat", hedge_after="0.1 seconds",
            hedge_budget=1, hedge_max=1, timeout="1.5 seconds", max_attempts=1)
        task = submit(url, "slow")
        worker(url)
        assert wait_ended(url, 1) == {"failed": 1}
        assert backend.calls == ["slow"] * 2
    assert query(url, "select kind from sluice.attempts where task_id = %s order by kind",
        [task]) == [("hedged",), ("retry",)]


def test_extra_calls_stay_within_the_budget(pg, worker):
    url = pg.database()
    with ScriptedBackend({"slow": answer("late", 2)}) as backend:
        add_model(url, "m", backend.url, api="openai-chat", hedge_after="0.2 seconds")
        ids = submit_many(url, [f"slow {n}" for n in range(50)])
        worker(url)
        assert wait_ended(url, 50) == {"solved": 50}
        extra = len(backend.calls) - 50
        assert 1 <= extra <= 5  # four were under 8 % of 54 calls
    assert query(url, "select count(*) from sluice.attempts where kind = 'hedged'")[0][0] >= extra
    assert_each_ended_once(url, ids)


def test_models_share_the_budget_over_all_workers(pg, worker):
    url = pg.database()
    with ScriptedBackend({"slow": answer("late", 3), "quick": answer("at once")}) as backend:
        for name in ["quiet", "unlucky"]:
            # Half of what a slow one takes: quick ones do not take as long on any machine.
            add_model(url, name, backend.url, api="openai-chat",
                hedge_after="1.5 seconds", hedge_max=1)
        quick = submit_many(url, [f"quick {n}" for n in range(60)], model="quiet")
        worker(url, "--models", "quiet")
        assert wait_ended(url, 60) == {"solved": 60}
        slow = submit_many(url, [f"slow {n}" for n in range(10)], model="unlucky")
        worker(url, "--models", "unlucky")
        assert wait_ended(url, 70) == {"solved": 70}
    extra = query(url, "select count(*) from sluice.attempts "
        "where kind = 'hedged' and model = 'unlucky'")[0][0]
    assert 2 <= extra <= 4  # 8 % of its own 10 calls is one, three times that four
    assert_each_ended_once(url, quick + slow)


@pytest.mark.parametrize("state", ["open", "half_open"])
def test_no_extra_call_begins_while_the_breaker_is_not_closed(pg, worker, state):
    url, slow, other = pg.database(), Slow(2), Slow(2)
    with ScriptedBackend({"slow": slow, "other": other}) as backend:
        for name in ("m", "other"):
            add_model(url, name, backend.url, api="openai-chat", hedge_after="1 second",
                hedge_budget=1, hedge_max=1)
        submit(url, "slow")
        worker(url)
        wait_for(lambda: len(slow.began_s) == 1, 20, "the call")
        query(url, "update sluice.breaker set state = %s, since = now() from sluice.models m "
            "where id = model and name = 'm'", [state])
        submit(url, "other", "other")
        # Its call began later, and so did its extra call.
        wait_for(lambda: len(other.began_s) == 2, 20, "the other model's extra call")
        assert len(slow.began_s) == 1
        query(url, "update sluice.breaker set state = 'closed'")
        assert wait_ended(url, 2) == {"solved": 2}
    assert query(url, "select model, count(*) from sluice.attempts where kind = 'hedged' "
        "group by 1 order by 1") == [("m", 1), ("other", 1)]


def test_every_extra_call_has_its_own_permit(pg, mock, worker):
    url, backend = pg.database(), mock("--latency", "1500ms")
    add_model(url, "m", backend.url, rpm=600, burst=3, hedge_after="0.2 seconds", hedge_budget=1)
    submit_many(url, [f"prompt {n}" for n in range(10)])
    worker(url)
    assert wait_ended(url, 10) == {"solved": 10}
    arrivals = wait_for(lambda: backend.arrivals() if len(backend.arrivals()) > 10
        else None, 10, "extra calls")
    times_s = [arrival["t_ns"] / 1e9 for arrival in arrivals]
    # Three at once, then one in 100 ms; 750 ms may lie between a grant and its arrival. Without
    # permits they would be 29.
    for first in range(len(times_s)):
        within = collections.Counter(t - times_s[first] < 1 for t in times_s[first:])[True]
        assert within <= 3 + 10 + 8
