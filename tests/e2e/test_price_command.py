"""sluice price and its HTTP: what calls cost."""
import pytest
from command_tools import rows, run  # noqa: F401 (fixture)
from conftest import http, query
from key_tools import url  # noqa: F401 (fixture)
from queue_tools import add_model, submit, wait_ended

pytestmark = pytest.mark.plain_build_only


def test_prices_are_set_listed_and_removed(run, url):
    assert run("price", "set", "m", "input=0.15", "output=0.6").returncode == 0
    assert run("price", "set", "m", "input=0.2", "output=0.8", "cached_input=0.05",
        "valid_from=2040-01-01T00:00:00Z").returncode == 0
    now, later = rows(run, "price", "ls", "m")
    assert (now["input"], now["cached_input"], now["output"], now["in_force"]) == (
        0.15, None, 0.6, True)
    assert (later["input"], later["cached_input"], later["in_force"]) == (0.2, 0.05, False)
    assert query(url, "select input_price::float, output_price::float from sluice.models") == [
        (0.15, 0.6)]
    assert "2040-01-01" in run("price", "ls").stdout
    assert run("price", "rm", "m", later["valid_from"]).returncode == 0
    assert len(rows(run, "price", "ls")) == 1
    gone = run("price", "rm", "m", later["valid_from"])
    assert gone.returncode == 1 and "no prices that begin at" in gone.stderr


def test_a_price_that_is_none_is_refused(run):
    for setting in ("input=much", "input=-1", "colour=1"):
        refused = run("price", "set", "m", setting)
        assert refused.returncode in (1, 2), setting
    for setting in ("input=-1", "input=0.0000001"):
        assert run("price", "set", "m", setting).stderr == (
            "sluice: prices are 0, or 0.000001 to 1000000000 and whole nano-units\n")
    unknown = run("price", "set", "nowhere", "input=1")
    assert unknown.returncode == 1 and 'there is no model "nowhere"' in unknown.stderr


def test_prices_over_http(url, server):
    port = server(url).port
    put = http(port, "PUT", "/v1/prices/m", {"input": 0.15, "output": 0.6})
    assert put.status == 200 and put.json["input"] == 0.15
    assert http(port, "PUT", "/v1/prices/nowhere", {"input": 1}).status == 404
    assert http(port, "PUT", "/v1/prices/m", {"input": "x"}).status == 400
    for path, name in (("/v1/prices/m", "input"), ("/v1/models/m", "input_price")):
        for none in ("NaN", "Infinity", 1e300):
            refused = http(port, "PUT", path, {"url": "http://x", name: none} if "models" in path
                else {name: none})
            assert refused.status == 400, (path, none)
            assert "0.000001 to 1000000000" in refused.json["error"]["message"]
    listed = http(port, "GET", "/v1/prices/m").json
    assert [row["output"] for row in listed["data"]] == [0.6]
    assert http(port, "GET", "/v1/prices").json == listed


def test_a_worker_stores_what_a_call_cost(pg, worker, mock):
    url = pg.database()
    backend = mock()
    add_model(url, "m", backend.url + "/v1", api="openai-chat", input_price=2, output_price=10)
    query(url, "update sluice.prices set per_request = 1000000000")
    submit(url, "Why?")
    worker(url, "--once").wait()
    assert wait_ended(url, 1) == {"solved": 1}
    assert query(url, "select cost = 1 + (2 * input_tokens + 10 * output_tokens) / 1e6 "
        "from sluice.tasks") == [(True,)]
