"""The console in a real browser: what tests/console/scenarios.mjs does, each with a server, a
database, a worker and backends of its own. Errors on the browser's console and violations of the
page's content security policy fail a scenario."""
import json
import os
import shutil
import subprocess
import threading

import pytest
from batch_tools import form
from conftest import ROOT, http, query, wait_for
from npm_tools import install, needs_npm
from proxy_tools import PREFIX, sub_path_proxy
from queue_tools import add_model, statuses, submit
from scripted_backend import ScriptedBackend, response

CONSOLE = ROOT / "tests" / "console"
PACKAGES = ROOT / "build" / "console"
CHROMIUM = shutil.which("chromium")
HOSTILE = "<img src=x onerror=\"window.wasRun = 1\"> 'quoted' & </script> 9007199254740993"
SECRET = "said in confidence"
SCENARIO_TIMEOUT_S = 240

pytestmark = [pytest.mark.plain_build_only, needs_npm,
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not here")]


def node(script, *arguments):
    environment = dict(os.environ, CONSOLE_PACKAGES=str(PACKAGES), CHROMIUM=CHROMIUM)
    return subprocess.Popen(["node", CONSOLE / script, *arguments], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
        start_new_session=True)


@pytest.fixture(scope="session")
def browser():
    """The address of one browser for all scenarios: to start one takes longer than most of them."""
    install(CONSOLE, PACKAGES)
    server = node("browser_server.mjs")
    address = server.stdout.readline().strip()
    assert address, server.stderr.read()
    yield address
    server.stdin.close()
    server.wait(SCENARIO_TIMEOUT_S)


class Scenario:
    """A run of scenarios.mjs. What it asks for is done by `answers`: a word → a function whose
    result, as text, it is told."""

    def __init__(self, browser, name, facts, answers=()):
        self.answers = dict(answers)
        self.process = node("scenarios.mjs", browser, name, json.dumps(facts))

    def run(self):
        timer = threading.Timer(SCENARIO_TIMEOUT_S, self.process.kill)
        timer.start()
        errors = []
        reader = threading.Thread(target=lambda: errors.append(self.process.stderr.read()))
        reader.start()
        try:
            for line in self.process.stdout:
                told = self.answers[line.removeprefix("ask ").strip()]()
                self.process.stdin.write(f"{told}\n")
                self.process.stdin.flush()
        finally:
            timer.cancel()
            self.process.kill()
            self.process.wait()
            reader.join()
        assert self.process.returncode == 0, "".join(errors)


def refuse(connection, _, __):
    refuse.count += 1
    connection.sendall(response(400, json.dumps({"error": {"type": "invalid_request_error",
        "message": f"prompt {refuse.count} is {1000 + refuse.count} tokens long"}})))


refuse.count = 0


def add_models(url, mock, refusing):
    backend = mock("--latency", "5ms").url + "/v1"
    for name in ("chat", "paused", "resting"):
        add_model(url, name, backend, api="openai-chat", paused=name != "chat", rpm=6000)
    add_model(url, "refuses", refusing.url, api="openai-chat")
    add_model(url, "away", "http://127.0.0.1:1", api="openai-chat")
    add_model(url, "messages", backend, api="anthropic-messages", paused=True)
    add_model(url, "refuses messages", refusing.url.removesuffix("/v1"), api="anthropic-messages")
    query(url, "insert into sluice.routes (route, model, weight) values ('smart', 'chat', 70), "
        "('smart', 'paused', 30)")
    query(url, "insert into sluice.tenants (name, weight) values ('t', 2)")
    query(url, "insert into sluice.budgets (name, scope, subject, limit_nanos) values "
        "('b', 'tenant', 'nobody', 1000000000)")
    query(url, "insert into sluice.budget_spent select id, clock_timestamp(), 250000000 "
        "from sluice.budgets")


@pytest.fixture
def front(pg, server, mock, worker, sluice, browser):
    """A server with keys; tasks that were solved, that failed and that wait; their ids by name."""
    class Front:
        url = pg.database()
    Front.browser = browser
    with ScriptedBackend({name: refuse for name in ("refused", "b")}) as refusing:
        add_models(Front.url, mock, refusing)
        worker(Front.url)
        Front.server = server(Front.url, keys=True)
        Front.port = Front.server.port
        Front.keys = {name: sluice("key", "create", name, *flags, "--database-url",
            Front.url).stdout.strip() for name, *flags in (
                ("admin", "--scope", "submit,read,admin"), ("reader", "--scope", "read"),
                ("tenant", "--scope", "submit,read", "--tenant", "t"))}
        wait_for(lambda: all(http(Front.port, "GET", "/v1/models", key=key).status == 200
            for key in Front.keys.values()), what="the keys' force")
        Front.facts = make_tasks(Front) | {"base": f"http://127.0.0.1:{Front.port}/console/",
            "keys": Front.keys}
        yield Front


def make_tasks(front):
    ids = {"hostile": submit(front.url, f"{SECRET} {HOSTILE}", "chat", metadata=json.dumps(
        {"html": HOSTILE, "long": "x" * 10_000})), "hostile_prompt": f"{SECRET} {HOSTILE}",
        "secret": SECRET,
        "solved": submit(front.url, "two", "chat"),
        "waiting": submit(front.url, "later", "paused"),
        "tenants": submit(front.url, "of a tenant", "paused", tenant="t")}
    for number in range(2):
        submit(front.url, f"to forget {number}", "chat", metadata='{"run": "forget"}')
    ids["failed"] = [submit(front.url, f"refused {number}", "refuses") for number in range(3)][-1]
    for number in range(3):
        submit(front.url, f"to move {number}", "paused", tenant="mover")
    wait_for(lambda: statuses(front.url) == {"solved": 4, "failed": 3}, 60, "the ends")
    ids["job"] = make_job(front)
    ids["batch"] = make_batch(front)
    ids["messages"] = make_message_batch(front)
    return ids


def make_job(front):
    job = http(front.port, "POST", "/v1/jobs", {"action": "prioritise", "priority": 1,
        "filter": {"tenant": "nobody"}}, key=front.keys["admin"]).json["id"]
    wait_for(lambda: http(front.port, "GET", f"/v1/jobs/{job}",
        key=front.keys["admin"]).json["state"] == "done", 60, "the job")
    return job


def make_batch(front):
    """One whose line waits."""
    key = front.keys["admin"]
    content_type, body = form({"purpose": "batch"}, json.dumps({"custom_id": "a",
        "method": "POST", "url": "/v1/chat/completions", "body": {"model": "paused",
        "messages": [{"role": "user", "content": "x"}]}}))
    file = http(front.port, "POST", "/v1/files", body, key=key,
        headers={"Content-Type": content_type}).json["id"]
    batch = http(front.port, "POST", "/v1/batches", {"input_file_id": file,
        "endpoint": "/v1/chat/completions", "completion_window": "24h"}, key=key).json["id"]
    wait_for(lambda: http(front.port, "GET", f"/v1/batches/{batch}",
        key=key).json["status"] == "in_progress", 60, "the batch")
    return batch


def make_message_batch(front):
    """One of whose requests the first fails, and the others wait."""
    return http(front.port, "POST", "/v1/messages/batches", {"requests": [{"custom_id": name,
        "params": {"model": model, "max_tokens": 1, "messages": [{"role": "user",
        "content": name}]}} for name, model in (("refused", "refuses messages"), ("x", "messages"),
        ("y", "messages"))]}, key=front.keys["admin"]).json["id"]


def run(name, front, answers=()):
    Scenario(front.browser, name, front.facts, answers).run()


@pytest.mark.parametrize("name", ["signs_in_and_out", "shows_every_screen", "fits_a_narrow_page",
    "has_no_serious_fault_in_light", "has_no_serious_fault_in_dark", "is_dark_where_that_is_wished",
    "is_driven_by_keys_alone", "cancels_and_redrives_a_task", "forgets_chosen_tasks",
    "redrives_a_group", "prioritises_chosen_tasks_and_undoes_it",
    "redrives_a_task_to_another_model", "shows_what_doctor_finds", "shows_message_batches",
    "moves_what_matches_and_undoes_it", "pauses_and_resumes_a_model",
    "edits_a_setting_and_reverts_it", "makes_a_budget_and_edits_it", "makes_and_revokes_a_key",
    "submits_a_task_and_sees_its_life", "uploads_a_batch", "shows_no_button_to_a_key_that_reads",
    "shows_a_tenant_its_own"])
def test_the_console(front, name):
    run(name, front)


def test_the_console_asks_for_a_model_where_there_is_no_default(front):
    query(front.url, "update sluice.settings set default_model = null")
    run("asks_for_a_model_where_there_is_no_default", front)


def test_the_console_says_what_each_key_has_spent(front):
    wait_for(lambda: statuses(front.url)["failed"] == 4, 60, "the end of a task of a key")
    query(front.url, "update sluice.history_look set looked_at = '-infinity'")
    query(front.url, "select sluice.keep_history()")
    run("shows_what_each_key_spent", front)


def test_whoever_reads_texts_leaves_a_row_in_the_audit(front):
    def reads():
        return query(front.url, "select object from sluice.audit_log where action = 'read_texts'")
    assert reads() == []
    run("shows_texts_only_when_asked", front)
    assert reads() == [(str(front.facts["hostile"]),)]


def test_the_console_works_below_a_path_of_a_proxy(front):
    def set_paused(is_paused):
        query(front.url, "update sluice.models set paused = %s where name = 'chat'", [is_paused])
        return "done"
    with sub_path_proxy(front.port) as port:
        front.facts["base"] = f"http://127.0.0.1:{port}{PREFIX}/console/"
        run("works_below_a_path_of_a_proxy", front, {"pause": lambda: set_paused(True),
            "resume": lambda: set_paused(False)})


def test_an_open_page_recovers_when_the_server_was_restarted(front, started):
    def stop():
        front.server.kill()
        return "done"

    def start():
        task = submit(front.url, "while it was away", "paused", tenant="later")
        front.server = started("serve", "--database-url", front.url, "--listen",
            f"127.0.0.1:{front.port}")
        return task
    run("recovers_when_the_server_was_restarted", front, {"stop": stop, "start": start})


def test_the_console_decides_as_its_unit_tests_say():
    done = subprocess.run(["node", "--test", CONSOLE / "tasks.test.mjs"], capture_output=True,
        text=True, timeout=60)
    assert done.returncode == 0, done.stdout
