"""What backends and users can send: everything ends with a clear result, and nothing is lost."""
import json
import time

from conftest import query, wait_for
from queue_tools import (add_model, assert_each_ended_once, submit, submit_many, wait_ended)


def test_backends_that_answer_nonsense_are_tried_again_and_then_given_up(pg, mock, worker):
    url, backend = pg.database(), mock()
    add_model(url, "m", backend.url, max_attempts=2, backoff_base="10 milliseconds")
    expected = {
        submit(url, "mock:html"): "bad_response",
        submit(url, "mock:empty"): "bad_response",
        submit(url, "mock:close"): "unanswered",
        submit(url, "mock:status=503"): "http_503",
        submit(url, "mock:status=400"): "http_400",
    }
    worker(url)
    assert wait_ended(url, len(expected)) == {"failed": len(expected)}
    assert dict(query(url, "select id, error_code from sluice.dead_letters")) == expected
    attempts = dict(query(url, "select error_code, count(*) from sluice.attempts group by 1"))
    assert attempts == {"bad_response": 4, "unanswered": 2, "http_503": 2, "http_400": 1}
    assert_each_ended_once(url, list(expected))


def test_a_429_closes_the_model_and_costs_no_attempt(pg, mock, worker):
    url, backend = pg.database(), mock()
    add_model(url, "m", backend.url)
    task = submit(url, "mock:status=429;retry_after=2 busy")
    worker(url)
    wait_for(lambda: query(url, "select closed_until > clock_timestamp() from sluice.models")
        == [(True,)], 20, "closing")
    other = submit(url, "meanwhile")
    # On a slow machine the model is open again by now, and the task has its next call.
    wait_for(lambda: query(url, "select status, attempts from sluice.task(%s)", [task])
        == [("queued", 0)], 20, "its place in the queue")
    assert query(url, "select count(*) from sluice.attempts") == [(0,)]
    # The refused task keeps its place and is refused again; the other one is served.
    wait_for(lambda: query(url, "select status from sluice.task(%s)", [other]) == [("solved",)],
        20, "the other")
    assert query(url, "select sluice.pause('m')") and submit(url, "after") > other


def test_a_poisoned_answer_is_stored_and_disturbs_nobody(pg, mock, worker):
    url, backend = pg.database(), mock()
    add_model(url, "m", backend.url)
    ids = [submit(url, "mock:nul")] + submit_many(url, [f"good {i}" for i in range(20)])
    worker(url)
    assert wait_ended(url, len(ids)) == {"solved": len(ids)}
    answer = query(url, "select answer from sluice.tasks where id = %s", [ids[0]])[0][0]
    assert "\ufffd" in answer
    assert_each_ended_once(url, ids)


def test_a_prompt_of_20_mb_is_solved_and_a_larger_one_than_allowed_refused(pg, mock,
        worker, sluice, tmp_path):
    url, backend = pg.database(), mock()
    add_model(url, "m", backend.url)
    worker(url)
    big = tmp_path / "big.jsonl"
    big.write_text(json.dumps({"model": "m", "prompt": "x" * 20_000_000}) + "\n")
    assert sluice("submit", big, "--database-url", url).returncode == 0
    assert wait_ended(url, 1) == {"solved": 1}
    big.write_text(json.dumps({"model": "m", "prompt": "x" * 34_000_000}) + "\n")
    refused = sluice("submit", big, "--database-url", url)
    assert refused.returncode == 1
    assert "line 1" in refused.stderr and "request_bytes_max" in refused.stderr
    assert query(url, "select count(*) from sluice.task") == [(1,)]


def test_answers_belong_to_their_prompts(pg, mock, worker):
    url, backend = pg.database(), mock("--latency", "1ms-30ms")
    for name in ("a", "b", "c"):
        add_model(url, name, backend.url)
    ids = [task for name in "abc"
        for task in submit_many(url, [f"prompt {i}" for i in range(300)], name)]
    worker(url, "--slots", "50")
    assert wait_ended(url, len(ids)) == {"solved": len(ids)}
    assert query(url, "select count(*) from sluice.tasks where answer <> model || ': ' || "
        "encode(sha256(convert_to(prompt, 'UTF8')), 'hex')") == [(0,)]


def test_wrong_databases_are_named_without_the_password(sluice, started):
    process = started("worker", "--database-url", "postgresql://me:secret@127.0.0.1:9/none")
    assert process.wait() == 4
    assert "127.0.0.1" in process.stderr() and "secret" not in process.stderr()


def test_a_database_without_the_schema_is_refused(pg, started):
    process = started("worker", "--database-url", pg.empty_database())
    assert process.wait() == 5
    assert "sluice migrate" in process.stderr()


def test_cancelling_a_running_task_aborts_its_call_within_a_second(pg, mock, worker):
    url, backend = pg.database(), mock("--latency", "100%:30s")
    add_model(url, "m", backend.url)
    process = worker(url)
    *cancelled, kept = submit_many(url, ["never mind"] * 5 + ["keep me"])
    wait_for(lambda: len(backend.arrivals()) == 6, what="the calls")

    def seconds_to_the_end(task):
        asked = time.monotonic()
        assert query(url, "select sluice.cancel(%s)", [task]) == [("processing",)]
        wait_for(lambda: query(url, "select 1 from sluice.result where task_id = %s", [task]),
            20, "the end")
        return time.monotonic() - asked
    # The middle one of five: the machine has other work, too.
    assert sorted(map(seconds_to_the_end, cancelled))[2] < 1
    assert query(url, "select id, status from sluice.tasks order by id") == [
        *((task, "cancelled") for task in cancelled), (kept, "processing")]
    assert process.running()
