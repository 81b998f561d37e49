"""The alert rules and the dashboard in packaging/: what they say of what workers and servers really
export."""
import json
import re
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

import pytest
import yaml
from conftest import (ROOT, Monitor, clean_environment, free_port, http, private_postgres, query,
    wait_for)
from queue_tools import add_model, submit, submit_many, wait_ended

pytestmark = pytest.mark.plain_build_only

ALERTS = ROOT / "packaging/prometheus/alerts.yml"
ALERT_TESTS = ROOT / "tests/packaging/alerts_test.yml"
RULES = [rule for group in yaml.safe_load(ALERTS.read_text())["groups"] for rule in group["rules"]]
DASHBOARD = json.loads((ROOT / "packaging/grafana/dashboard.json").read_text())
TARGETS = [(panel, target) for panel in DASHBOARD["panels"] for target in panel["targets"]]
VARIABLES = {"$__rate_interval": "1m", "$model": ".*"}


def promtool(*arguments):
    done = subprocess.run(["promtool", *map(str, arguments)], env=clean_environment(),
        capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_rules_are_rules_and_each_alerts_above_its_threshold_alone():
    promtool("check", "rules", ALERTS)
    promtool("test", "rules", ALERT_TESTS)
    cases = [(case["alertname"], bool(case["exp_alerts"]))
        for test in yaml.safe_load(ALERT_TESTS.read_text())["tests"]
        for case in test["alert_rule_test"]]
    assert set(cases) == {(rule["alert"], fires) for rule in RULES for fires in (True, False)}


def test_each_alert_says_what_to_do_in_commands_that_exist(pg, sluice):
    url = pg.database()

    def exists(words, *path):
        """Whether the command and its flags do, and the settings that it changes."""
        text = sluice(*path, "--help").stdout
        below = re.findall(r"^  ([a-z-]+) ", text.partition("Subcommands:")[2], re.M)
        if below:
            return words[0] in below and exists(words[1:], *path, words[0])
        settings = [word.split("=")[0] for word in words if "=" in word]
        return all(word in text for word in words if word.startswith("--")) and (not settings
            or query(url, "select %s <@ sluice.configurable_columns(%s)", [settings, path[0] + "s"])
            == [(True,)])

    for rule in RULES:
        assert rule["annotations"]["summary"], rule["alert"]
        quoted = re.findall(r"`([^`]+)`", rule["annotations"]["description"])
        commands = [text.split()[1:] for text in quoted if text.startswith("sluice ")]
        assert commands and all(exists(words) for words in commands), commands
        for text in (text for text in quoted if text.startswith("select ")):
            query(url, text)


def test_the_dashboards_sql_is_for_readers(pg):
    url = pg.database()
    add_model(url, "m", "http://127.0.0.1:1")
    statements = [target["rawSql"] for panel, target in TARGETS if "rawSql" in target]
    assert statements
    for sql in statements:
        assert len(query(url, f"set role sluice_reader; {sql}")) == 1


def test_the_documentation_lists_each_metric_with_its_type():
    code = [(ROOT / "src" / path).read_text()
        for path in ("worker/metrics.cc", "api/http_metrics.cc", "api/queue_metrics.cc")]
    built = {name: kind for text in code
        for kind, name in re.findall(r'(counter|gauge|histogram)s\(\s*registry,\s+"(\w+)"', text)}
    listed = dict(re.findall(r"^\| `(sluice_\w+)` \| (\w+) \|",
        (ROOT / "docs/reference/metrics.md").read_text(), re.M))
    assert len(built) > 30 and listed == built


@pytest.fixture
def prometheus(tmp_path):
    """A function that starts Prometheus, which scrapes these addresses, and returns one that asks
    its API. Its alerts do not wait."""
    processes = []

    def start(*addresses):
        alerts = tmp_path / "alerts.yml"
        alerts.write_text(re.sub(r"^( +for:) .*$", r"\1 1s", ALERTS.read_text(), flags=re.M))
        address = f"127.0.0.1:{free_port()}"
        configuration = tmp_path / "prometheus.yml"
        configuration.write_text(yaml.safe_dump({
            "global": {"scrape_interval": "500ms", "scrape_timeout": "500ms",
                "evaluation_interval": "500ms"},
            "rule_files": [str(alerts)],
            "scrape_configs": [
                {"job_name": "sluice", "static_configs": [{"targets": list(addresses)}]}]}))
        processes.append(subprocess.Popen(["prometheus", f"--config.file={configuration}",
                    f"--storage.tsdb.path={tmp_path / 'prometheus'}",
                    f"--web.listen-address={address}", "--log.level=error"],
                env=clean_environment(), preexec_fn=private_postgres.die_with_parent))

        def get(path, **arguments):
            with urllib.request.urlopen(
                    f"http://{address}/api/v1/{path}?{urllib.parse.urlencode(arguments)}",
                    timeout=10) as reply:
                return json.loads(reply.read())["data"]

        def is_up():
            assert processes[-1].poll() is None, "Prometheus ended"
            try:
                return [target["value"][1]
                    for target in get("query", query="up")["result"]] == ["1"] * len(addresses)
            except urllib.error.URLError:
                return False
        wait_for(is_up, what="Prometheus")
        return get
    yield start
    for process in processes:
        process.kill()
        process.wait()


def without_thresholds(expression):
    return re.sub(r"\s[<>=]=?\s+[\d.]+(?=\s|$)", "", expression)


def test_all_that_is_shown_and_watched_is_exported(pg, mock, worker, server, prometheus):
    """Of a worker and a server with some tasks: each expression finds something, whatever its
    threshold."""
    url = pg.database()
    add_model(url, "m", mock().url, max_attempts=1)
    add_model(url, "full", "http://127.0.0.1:1", max_unfinished=1, paused=True)
    query(url, "insert into sluice.budgets (name, scope, limit_nanos, is_hard) values "
        "('b', 'system', 1000, false)")
    port = server(url, env={"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"}).port
    monitor = Monitor(worker(url, "--http", "127.0.0.1:0"))
    for prompt in ("good", "mock:status=500 bad"):
        assert http(port, "POST", "/v1/tasks", {"prompt": prompt, "model": "m"}).status == 202
    submit(url, "x", "full")
    wait_for(lambda: http(port, "POST", "/v1/tasks", {"prompt": "x", "model": "full"}).status
        == 503, what="a full model")
    assert wait_ended(url, 2) == {"solved": 1, "failed": 1}
    get = prometheus(monitor.address.removeprefix("http://"), f"127.0.0.1:{port}")
    expressions = [(target["expr"], target["legendFormat"])
        for _, target in TARGETS if "expr" in target]
    for expression, legend in expressions + [(without_thresholds(rule["expr"]), "")
            for rule in RULES]:
        for name, value in VARIABLES.items():
            expression = expression.replace(name, value)
        wait_for(lambda: get("query", query=expression)["result"],
            what=f"something of {expression}")
        # Without them Prometheus still finds something.
        labels = set(re.findall(r"{{(\w+)}}", legend)
            + re.findall(r"(\w+)(?:=|!=|=~)\"", expression))
        labels |= {label for group in re.findall(r"by \((.*?)\)", expression)
            for label in group.split(", ")}
        assert labels <= {label for name in re.findall(r"\bsluice_\w+", expression)
            for label in get("labels", **{"match[]": name})}
    values = [found.groups() for variable in DASHBOARD["templating"]["list"]
              if (found := re.fullmatch(r"label_values\((.+), (\w+)\)", variable["query"]))]
    assert values and all(label in series for name, label in values
        for series in get("series", **{"match[]": name}))


def test_every_server_tells_of_the_queues_what_the_database_has(pg, server):
    """Paused models, so that nothing moves: one bound of its own, one of the system; all states of
    breakers."""
    url = pg.database()
    query(url, "update sluice.settings set max_unfinished = 500")
    for name, bound in (("a", 7), ("b", None), ("c", None)):
        add_model(url, name, "http://127.0.0.1:1", paused=True, max_unfinished=bound)
    for _ in range(2):
        submit(url, "x", "a")
    submit(url, "x", "a", run_at="2999-01-01T00:00:00Z")
    query(url, """
        update sluice.breaker set state = case name when 'b' then 'half_open' else 'open'
        end, since = now() from sluice.models where id = model and name <> 'a'""")
    ports = [server(url).port, server(url).port]
    for port in ports:
        text = wait_for(lambda port=port: (body := http(port, "GET",
            "/metrics").body).count("sluice_queue_depth{") and body, what="queues")
        found = {(name, *re.findall(r'"(\w+)"', labels)): float(value)
            for name, labels, value in re.findall(
                r"^sluice_(queue_\w+|oldest_ready_seconds|breaker_state|model_blocked){(.*)} "
                r"(\S+)$", text, re.M)}
        assert {key[1:]: value for key, value in found.items() if key[0] == "queue_depth"} == {
            (model, state): 0 for model in "bc" for state in ("queued", "in_flight", "waiting")} | {
            ("a", "queued"): 2, ("a", "in_flight"): 0, ("a", "waiting"): 1}
        assert [found["queue_depth_max", model] for model in "abc"] == [7, 500, 500]
        assert [found["breaker_state", model] for model in "abc"] == [0, 1, 2]
        assert found["oldest_ready_seconds", "a"] > found["oldest_ready_seconds", "b"] == 0
        assert {key[1:]: value for key, value in found.items() if key[0] == "model_blocked"} == {
            (model, reason): reason in ("paused", "no_worker") for model in "abc"
            for reason in ("paused", "parked", "closed", "breaker_open", "no_worker")}
        assert set(re.findall(r"^sluice_(workers|results_total)({.*})? (\S+)$", text, re.M)) == {
            ("workers", "", "0"), *(("results_total", f'{{status="{status}"}}', "0")
                for status in ("solved", "failed", "cancelled", "expired"))}


def test_the_plainest_outages_raise_alerts(pg, server, prometheus):
    """Live: a parked model with tasks and no worker at all; then a database that is away, while
    nobody asks for anything."""
    url = pg.database()
    add_model(url, "parked", "http://127.0.0.1:1")
    query(url, "select sluice.close_model('parked', 'infinity', 'credential: HTTP 401')")
    submit_many(url, ["x"] * 300, "parked")
    port = server(url).port
    get = prometheus(f"127.0.0.1:{port}")

    def firing():
        labels = [alert["labels"] for alert in get("alerts")["alerts"]
            if alert["state"] == "firing"]
        return {(each["alertname"], *(each[name] for name in ("model", "reason") if name in each))
            for each in labels}
    wait_for(lambda: {("SluiceModelIsBlocked", "parked", "parked"),
            ("SluiceModelIsBlocked", "parked", "no_worker"), ("SluiceNoWorker",)} <= firing(), 30,
        "the alerts of a parked model and of no worker")
    assert ("SluiceServerHasNoDatabase",) not in firing()
    pg.stop("immediate")
    try:
        stopped = time.monotonic()
        wait_for(lambda: http(port, "GET", "/readyz").status == 503, what="readiness to end")
        assert time.monotonic() - stopped < 3
        wait_for(lambda: breaker_state(port) == 2, 20, "the breaker to open")
        wait_for(lambda: ("SluiceServerHasNoDatabase",) in firing(), 30,
            "the alert of a database that is away")
    finally:
        pg.start()
    wait_for(lambda: http(port, "GET", "/readyz").status == 200, what="readiness")
    assert breaker_state(port) == 0


def breaker_state(port):
    return int(re.search(r"^sluice_http_database_breaker_state (\d)",
            http(port, "GET", "/metrics").body, re.M)[1])
