"""Against a mock of the model APIs that others wrote (aimock, from npm): what we believe of the
APIs, they believe, too."""
import re
import signal
import subprocess

import pytest
from conftest import private_postgres, query, wait_for
from npm_tools import HERE, INSTALLED, NODE, install, needs_npm
from queue_tools import add_model, assert_each_ended_once, submit_many, wait_ended

ANSWER = "An answer of several words, in chunks: größe."

pytestmark = [needs_npm, pytest.mark.plain_build_only]


@pytest.fixture
def address(tmp_path):
    """Where the mock listens, at last."""
    install()
    log = tmp_path / "aimock.log"
    with open(log, "wb") as out:
        process = subprocess.Popen(
            [NODE, INSTALLED / "node_modules/@copilotkit/aimock/dist/cli.js", "--port", "0",
                "--fixtures", HERE / "fixtures.json", "--chunk-size", "5"], stdout=out, stderr=out,
            preexec_fn=lambda: private_postgres.die_with_parent(signal.SIGKILL))
    try:
        yield wait_for(lambda: re.search(r"listening on (http://\S+)", log.read_text()), 60,
            "the mock")[1]
    finally:
        process.kill()
        process.wait()


def test_a_thousand_chat_tasks_are_solved_in_streams_and_their_usage_recorded(pg, worker, address):
    url = pg.database()
    add_model(url, "estimated", address + "/v1", api="openai-chat", input_price=2, output_price=10)
    ids = submit_many(url, [f"prompt number {i}" for i in range(1000)], "estimated")
    worker(url, "--slots", "100")
    assert wait_ended(url, 1000) == {"solved": 1000}
    assert_each_ended_once(url, ids)
    # It counts a token for each four characters.
    assert query(url, """
        select count(*) from sluice.tasks
        where answer = %s and input_tokens = ceil(length(prompt) / 4.0)
          and output_tokens = ceil(length(answer) / 4.0)
          and cost = (2 * input_tokens + 10 * output_tokens) / 1e6""", [ANSWER]) == [(1000,)]
    assert query(url, "select count(*) from sluice.attempts") == [(0,)]


@pytest.mark.parametrize("api, base, answer, usage", [
    ("openai-chat", "/v1", ANSWER, (7, 9)), ("openai-responses", "/v1", ANSWER, (7, 9)),
    ("anthropic-messages", "", ANSWER, (7, 9)), ("openai-embeddings", "/v1", None, (0, None))])
def test_each_api_is_understood(pg, worker, address, api, base, answer, usage):
    url = pg.database()
    add_model(url, "m", address + base, api=api)
    submit_many(url, [f"prompt number {i}" for i in range(20)])
    worker(url)
    assert wait_ended(url, 20) == {"solved": 20}
    assert query(url, "select distinct answer, input_tokens, "
        "output_tokens from sluice.tasks") == [(answer, *usage)]
    if answer is None:
        assert query(url, "select distinct (response::json #>> '{data,0,embedding}')::jsonb "
            "from sluice.tasks") == [([0.25, -0.5],)]
