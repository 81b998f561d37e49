"""A server killed at any point of a batch: it still ends with every custom_id exactly once over
both files."""
import pytest
from batch_tools import batch, line, outcome, phase, post_batch, upload, wait_status
from conftest import http as send
from conftest import connect, query, wait_for
from queue_tools import add_model

pytestmark = pytest.mark.plain_build_only

LINES = [f"r-{n}" for n in range(1000)]


@pytest.fixture
def front(pg, server, mock, worker):
    class Front:
        url = pg.database()
    add_model(Front.url, "chat", mock("--latency", "5ms", "--error-rate", "0.02").url + "/v1",
        api="openai-chat", max_attempts=1)
    Front.start = lambda: server(Front.url)
    Front.work = lambda: worker(Front.url, "--slots", "50")
    return Front


def ended_tasks(url):
    return query(url, "select count(*) from sluice.result")[0][0]


# Each point: its name, and when it is reached or passed.
POINTS = {
    "created": lambda url: True,
    "validated": lambda url: phase(url)[0] != "validate",
    "half submitted": lambda url: query(url, "select count(*) > 0 from sluice.task")[0][0],
    "submitted": lambda url: phase(url)[0] not in ("validate", "submit"),
    "first answers": lambda url: ended_tasks(url) > 0,
    "half answered": lambda url: ended_tasks(url) >= 500,
    "all answered": lambda url: ended_tasks(url) >= 1000,
    "writing": lambda url: phase(url)[0] in ("write", "done"),
    "written": lambda url: phase(url)[0] == "write" and phase(url)[1] > 0
    or phase(url)[0] == "done",
    "done": lambda url: phase(url)[0] == "done",
}


@pytest.mark.parametrize("point", POINTS)
def test_a_batch_survives_kill_9(front, point):
    process = front.start()
    file = upload(process.port, [line(custom_id, custom_id) for custom_id in LINES])
    batch_id = post_batch(process.port, file).json["id"]
    front.work()
    wait_for(lambda: POINTS[point](front.url), 60, point)
    process.kill()
    port = front.start().port
    ended = wait_status(port, batch_id, "completed", deadline_s=120)
    outputs, errors = outcome(port, ended)
    assert outputs.keys() | errors.keys() == set(LINES)
    assert ended["request_counts"] == {"total": 1000, "completed": len(outputs),
        "failed": len(errors)}
    assert query(front.url,
        "select count(*), count(distinct request) from sluice.task") == [(1000, 1000)]


@pytest.mark.parametrize("table, step",
    [("batch_line", "validate"), ("task", "submit"), ("file_part", "write")])
def test_a_step_that_is_cut_off_is_made_again_from_its_beginning(front, table, step):
    process = front.start()
    file = upload(process.port, [line(custom_id, custom_id) for custom_id in LINES])
    lock = connect(front.url)
    lock.autocommit = False
    cursor = lock.cursor()
    if step == "write":
        batch_id = post_batch(process.port, file).json["id"]
        wait_for(lambda: phase(front.url)[0] == "run", what="the tasks")
    cursor.execute(f"lock table sluice.{table} in share mode")  # the step waits in its first write
    if step == "write":
        front.work()
    else:
        batch_id = post_batch(process.port, file).json["id"]
    wait_for(lambda: query(front.url, "select count(*) from pg_locks "
            "where not granted and relation = %s::regclass", [f"sluice.{table}"])[0][0] > 0, 60,
        "the step")
    process.kill()
    wait_for(lambda: query(front.url, "select count(*) from pg_stat_activity "
            "where query like '%%advance_batches()' and pid <> pg_backend_pid()")[0][0] == 1, 60,
        "the session of the dead server")
    lock.rollback()
    lock.close()
    if step != "write":
        front.work()
    port = front.start().port
    ended = wait_status(port, batch_id, "completed", deadline_s=120)
    outputs, errors = outcome(port, ended)
    assert outputs.keys() | errors.keys() == set(LINES) and len(outputs) + len(errors) == 1000
    assert query(front.url, "select count(*) from sluice.task") == [(1000,)]


def test_a_batch_cancelled_in_its_last_moments_ends_one_way(front):
    process = front.start()
    front.work()
    batch_id = post_batch(process.port,
        upload(process.port, [line(custom_id) for custom_id in LINES[:300]])).json["id"]
    wait_for(lambda: ended_tasks(front.url) >= 290, 60, "the last answers")
    send(process.port, "POST", f"/v1/batches/{batch_id}/cancel")
    ended = wait_status(process.port, batch_id, "completed", "cancelled")
    outputs, errors = outcome(process.port, ended)
    assert len(outputs) + len(errors) == 300 and batch(process.port, batch_id) == ended
