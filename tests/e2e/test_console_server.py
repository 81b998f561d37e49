"""The console's page, session and stream over HTTP: who gets what, and what each answer says to the
browser."""
import gzip
import hashlib
import re
import socket
import threading
import time
import urllib.parse
import urllib.request

import pytest
from conftest import ROOT, connect, http, load_script, query, wait_for
from console_tools import Browser, Events, forged_cookie
from key_tools import (make_key, process, shared_key, shared_process, shared_url,  # noqa: F401
    url, wait_for_refusal)  # fixtures
from proxy_tools import sub_path_proxy
from queue_tools import add_model, submit

WIRE_BYTES_MAX = 120_000  # of all screens together
POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; base-uri 'self'; form-action 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'")


@pytest.fixture
def browser(process):
    return Browser(process.port)


@pytest.fixture
def shared_browser(shared_process):
    return Browser(shared_process.port)


def session_of(browser):
    return {name: value for name, value in browser.session().items() if name != "version"}


def test_each_answer_below_console_says_what_the_browser_may_do(process, browser, make_key):
    browser.sign_in(make_key("k", "--scope", "read"))
    answers = {"page": http(process.port, "GET", "/console/"),
        "deep page": http(process.port, "GET", "/console/models/gpt-4.1?x=1"),
        "redirect": http(process.port, "GET", "/console"),
        "root": http(process.port, "GET", "/", headers={"Accept": "text/html;q=0.9,*/*"}),
        "missing file": http(process.port, "GET", "/console/nothing.js"),
        "wrong method": http(process.port, "POST", "/console/", ""),
        "session": browser.send("GET", "session"), "api": browser.send("GET", "v1/tasks"),
        "refused": browser.send("GET", "v1/tasks", site="cross-site"),
        "no route": browser.send("GET", "v1/nothing"),
        "no scope": browser.send("POST", "v1/tasks", {"prompt": "x"})}
    assert {name: answer.status for name, answer in answers.items()} == {"page": 200,
        "deep page": 200, "redirect": 302, "root": 302, "missing file": 404, "wrong method": 405,
        "session": 200, "api": 200, "refused": 403, "no route": 404, "no scope": 403}
    for name, answer in answers.items():
        said = {header: answer.headers[header] for header in ("Content-Security-Policy",
                "X-Content-Type-Options", "Referrer-Policy", "Cross-Origin-Opener-Policy",
                "Cross-Origin-Resource-Policy")}
        assert said == {"Content-Security-Policy": POLICY, "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Resource-Policy": "same-origin"}, name
        is_static = name in ("page", "deep page", "redirect", "root")
        assert answer.headers["Cache-Control"] == ("no-cache" if is_static else "no-store"), name
    assert answers["page"].headers["Content-Type"] == "text/html; charset=utf-8"
    for name in ("redirect", "root"):
        assert answers[name].headers["Location"] == "console/"
    assert answers["wrong method"].headers["Allow"] == "GET"
    assert http(process.port, "GET", "/v1/tasks").headers["Content-Security-Policy"] is None


def test_only_browsers_are_led_from_the_root_to_the_console(process, make_key):
    key = make_key("k", "--scope", "read")
    html = {"Accept": "application/xhtml+xml, Text/HTML, */*;q=0.8"}
    assert http(process.port, "HEAD", "/", headers=html).status == 302
    assert http(process.port, "GET", "/?x=1", headers=html, key=key).status == 302
    for headers in ({}, {"Accept": "*/*"}, {"Accept": "application/json"}):
        assert http(process.port, "GET", "/", headers=headers).status == 401
        assert http(process.port, "GET", "/", headers=headers, key=key).status == 404
    assert http(process.port, "POST", "/", {}, headers=html).status == 401
    assert http(process.port, "GET", "/v1", headers=html).status == 401


def raw_page(port, **headers):
    request = urllib.request.Request(f"http://127.0.0.1:{port}/console/", headers=headers)
    return urllib.request.urlopen(request, timeout=20)


def test_the_page_is_packed_for_who_takes_it_and_sent_once(process):
    with raw_page(process.port) as reply:
        plain, plain_tag = reply.read(), reply.headers["ETag"]
    with raw_page(process.port, **{"Accept-Encoding": "gzip, br"}) as reply:
        assert reply.headers["Content-Encoding"] == "gzip"
        assert reply.headers["Vary"] == "Accept-Encoding"
        assert gzip.decompress(reply.read()) == plain
        packed_tag = reply.headers["ETag"]
    assert plain_tag == f'"{hashlib.sha256(plain).hexdigest()}"' != packed_tag
    for tag, encoding in ((plain_tag, "identity"), (packed_tag, "gzip")):
        again = http(process.port, "GET", "/console/",
            headers={"If-None-Match": tag, "Accept-Encoding": encoding})
        assert (again.status, again.body, again.headers["ETag"]) == (304, "", tag)
        assert again.headers["Content-Security-Policy"] == POLICY
    head = http(process.port, "HEAD", "/console/")
    assert (head.status, head.body, head.headers["Content-Length"]) == (200, "", str(len(plain)))


def all_modules():
    lean = load_script("lean.py")
    return load_script("joined.py").join(lambda name: lean.lean_js(
        (ROOT / "web" / "console" / name).read_text(encoding="utf-8")), "app.js", "vendor/")


def served(name, path):
    """What others wrote as it is, our own without comments, and all modules as one."""
    if name.startswith("vendor/") or path.suffix not in (".js", ".css"):
        return path.read_bytes()
    if name == "app.js":
        return all_modules()[0].encode()
    lean = load_script("lean.py")
    shorten = lean.lean_js if path.suffix == ".js" else lean.lean_css
    return shorten(path.read_text(encoding="utf-8")).encode()


def test_every_file_of_the_console_is_in_the_binary(process):
    types = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
        ".svg": "image/svg+xml", ".png": "image/png", ".ico": "image/x-icon",
        ".woff2": "font/woff2"}
    web = ROOT / "web"
    names = {path.relative_to(web / "console").as_posix(): path
        for path in (web / "console").rglob("*") if path.suffix in types}
    names |= {path.relative_to(web).as_posix(): path for path in (web / "vendor").rglob("*")
        if path.suffix in types}
    packed_bytes = 0
    inside = all_modules()[1] - {"app.js"}
    assert len(inside) > 40
    for name, path in names.items():
        address = f"http://127.0.0.1:{process.port}/console/{name}"
        if name in inside:
            assert http(process.port, "GET", f"/console/{name}").status == 404, name
            continue
        with urllib.request.urlopen(address, timeout=20) as reply:
            assert reply.read() == served(name, path), name
            assert reply.headers["Content-Type"] == types[path.suffix], name
        packed = urllib.request.Request(address, headers={"Accept-Encoding": "gzip"})
        with urllib.request.urlopen(packed, timeout=20) as reply:
            packed_bytes += len(reply.read())
    assert packed_bytes <= WIRE_BYTES_MAX
    for path in (web / "console").rglob("*.html"):
        text = path.read_text()
        assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=", text), path


@pytest.fixture
def proxy_port(process):
    with sub_path_proxy(process.port) as port:
        yield port


def test_below_a_path_of_a_proxy_everything_leads_to_where_it_is(proxy_port, make_key):
    moved = http(proxy_port, "GET", "/deep/sluice/console")
    assert urllib.parse.urljoin("http://h/deep/sluice/console",
        moved.headers["Location"]) == "http://h/deep/sluice/console/"
    for path in ("", "models", "models/gpt-4.1", "tasks/7/", "index.html"):
        page = http(proxy_port, "GET", f"/deep/sluice/console/{path}")
        base = re.search(r'<base href="([^"]*)">', page.body)[1]
        here = f"http://h/deep/sluice/console/{path}"
        assert urllib.parse.urljoin(here, base) == "http://h/deep/sluice/console/", path
    browser = Browser(proxy_port, "/deep/sluice/console/")
    signed = browser.sign_in(make_key("k", "--scope", "read"))
    # Without a path of its own the cookie is for the folder of the request, whatever that is.
    assert signed.status == 204 and "path" not in signed.headers["Set-Cookie"].lower()
    assert browser.send("GET", "v1/tasks").status == 200
    with Events(proxy_port, "/deep/sluice/console/v1/live",
            {"Cookie": f"sluice_console={browser.cookie}"}) as events:
        assert events.next_named("overview")["data"]
    assert browser.send("DELETE", "session").status == 204 and browser.cookie is None


def test_a_key_is_exchanged_for_a_cookie_that_no_script_reads(process, browser, make_key):
    assert session_of(browser) == {"signed_in": False, "without_keys": False, "key_id": None,
        "name": None, "tenant": None, "scopes": [], "unavailable": None}
    key = make_key("of a page", "--tenant", "t")
    signed = browser.sign_in(key)
    assert (signed.status, signed.body) == (204, "")
    assert re.fullmatch(r"sluice_console=v1\.[0-9a-f]{16}\.\d+\.\d+\.p\.[0-9a-f]{64}; HttpOnly; "
        "SameSite=Strict", signed.headers["Set-Cookie"])
    assert key.split("_")[2] not in browser.cookie
    assert session_of(browser) == {"signed_in": True, "without_keys": False,
        "key_id": key.split("_")[1], "name": "of a page", "tenant": "t",
        "scopes": ["submit", "read"], "unavailable": None}
    assert browser.send("POST", "v1/tasks", {"prompt": "x", "model": "m"}).status == 202
    assert [task["tenant"] for task in browser.send("GET", "v1/tasks").json["data"]] == ["t"]
    former = browser.cookie
    gone = browser.send("DELETE", "session")
    assert gone.status == 204 and gone.headers["Set-Cookie"] == (
        "sluice_console=; HttpOnly; SameSite=Strict; Max-Age=0")
    assert browser.cookie is None and browser.send("GET", "v1/tasks").status == 401
    assert former not in process.stderr() + process.stdout()


def test_over_tls_the_cookie_is_for_tls_alone(browser, make_key):
    """A proxy ends it: the page's own address says so."""
    key = make_key("k")
    signed = browser.sign_in(key, headers={"Origin": "https://sluice.example"})
    assert signed.headers["Set-Cookie"].endswith("; HttpOnly; SameSite=Strict; Secure")
    now = int(time.time())
    browser.cookie = forged_cookie(key, now - 3000, now - 600)
    assert "Secure" not in browser.send("GET", "session").headers["Set-Cookie"]


def test_plain_v1_takes_no_cookie(process, browser, make_key):
    browser.sign_in(make_key("k", "--scope", "admin"))
    cookie = {"Cookie": f"sluice_console={browser.cookie}", "Sec-Fetch-Site": "same-origin"}
    for method, path in (("GET", "/v1/tasks"), ("POST", "/v1/tasks"), ("POST", "/task"),
            ("GET", "/console%2Fv1/tasks"), ("GET", "/v1/live")):
        reply = http(process.port, method, path, {"prompt": "x"} if method == "POST" else None,
            headers=cookie)
        assert reply.status == 401, path
    assert browser.send("GET", "v1/tasks").status == 200


FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@pytest.mark.parametrize("headers,told", [
    ({"Sec-Fetch-Site": "cross-site"}, "another page"),
    ({"Sec-Fetch-Site": "same-site"}, "another page"),
    ({"Sec-Fetch-Site": "none"}, "another page"),
    ({"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"} | FORM, "another page"),
    ({"Origin": "http://evil.example"}, "another page"),
    ({"Origin": "null"} | FORM, "another page"),
    ({}, "too old")], ids=str)
def test_a_change_is_for_the_consoles_own_page(shared_url, shared_browser, shared_key, headers,
        told):
    shared_browser.sign_in(shared_key)
    for method, path, body in (("POST", "v1/tasks", {"prompt": "x"}),
            ("PATCH", "v1/models/m", {"rpm": 9}), ("DELETE", "v1/models/m", None),
            ("POST", "session", {"key": "x"}), ("DELETE", "session", None)):
        reply = shared_browser.send(method, path, body, site=None, headers=headers)
        assert (reply.status, reply.error) == (403, "forbidden"), (method, path, reply.body)
        assert told in reply.json["error"]["message"]
        assert reply.headers["Set-Cookie"] is None
    assert query(shared_url, "select count(*) from sluice.tasks") == [(0,)]


def test_a_change_over_plain_http_is_known_by_its_origin(process, browser, make_key):
    """Browsers send Sec-Fetch-Site to https and to this machine alone."""
    own = {"Host": "box:8080", "Origin": "http://box:8080"}
    assert browser.sign_in(make_key("k"), site=None, headers=own).status == 204
    assert browser.send("POST", "v1/tasks", {"prompt": "x"}, site=None, headers=own).status == 202
    assert browser.send("POST", "v1/tasks", {"prompt": "x"}, site=None,
        headers=own | {"Origin": "http://box:8081"}).status == 403


@pytest.mark.parametrize("site,status", [("cross-site", 403), ("same-site", 403), ("none", 200),
    ("same-origin", 200), (None, 200)])
def test_a_look_is_refused_to_other_sites(shared_browser, shared_key, site, status):
    shared_browser.sign_in(shared_key)
    assert shared_browser.send("GET", "v1/tasks", site=site).status == status
    assert shared_browser.send("GET", "session", site=site).status == status


def test_a_cookie_that_is_forged_over_or_another_keys_is_none(browser, make_key):
    key, other = make_key("k"), make_key("other")
    now = int(time.time())
    good = forged_cookie(key)
    browser.cookie = good
    assert browser.send("GET", "v1/tasks").status == 200
    for name, cookie in {"another digest": forged_cookie(key, digest=b"x" * 32),
            "no digest": forged_cookie("sluice_" + "0" * 16, digest=bytes(32)),
            "another key": good.replace(key.split("_")[1], other.split("_")[1]),
            "idle": forged_cookie(key, now - 7200, now - 3601),
            "over": forged_cookie(key, now - 12 * 3600, now),
            "to come": forged_cookie(key, now + 600), "truncated": good[:-1],
            "longer": good + "0", "none": "", "the key": key, "quoted": f'"{good}"'}.items():
        browser.cookie = cookie
        assert browser.send("GET", "v1/tasks").status == 401, name
        assert browser.session()["signed_in"] is False, name
    both = {"Cookie": f"sluice_console=x; sluice_console={good}; y=z"}
    browser.cookie = None
    assert browser.send("GET", "v1/tasks", headers=both).status == 200


def test_of_cookies_with_different_keys_none_counts(browser, make_key):
    """A page at another port of the host adds one for the API's path: what the administrator did in
    the console was done with the stranger's key."""
    mine, stranger = forged_cookie(make_key("mine")), forged_cookie(make_key("stranger"))
    for first, second, status in ((mine, mine, 200), (stranger, mine, 401), (mine, stranger, 401)):
        both = {"Cookie": f"sluice_console={first}; sluice_console={second}"}
        assert browser.send("GET", "v1/tasks", headers=both).status == status


def test_a_used_session_is_renewed_by_asking_for_it(browser, make_key):
    key, now = make_key("k"), int(time.time())
    browser.cookie = old = forged_cookie(key, now - 11 * 3600, now - 3000)
    assert browser.send("GET", "v1/tasks").headers["Sluice-Session"] == "renew"
    assert browser.session()["signed_in"] and browser.cookie != old
    _, _, signed_in, used, _, _ = browser.cookie.split(".")
    assert int(signed_in) == now - 11 * 3600 and int(used) >= now
    assert browser.send("GET", "v1/tasks").headers["Sluice-Session"] is None
    renewed = browser.cookie
    assert browser.session()["signed_in"] and browser.cookie == renewed


def test_each_server_of_a_database_knows_the_session(url, server, browser, make_key):
    other = Browser(server(url, keys=True).port)
    browser.sign_in(make_key("k"))
    other.cookie = browser.cookie
    assert other.send("GET", "v1/tasks").status == 200


def test_a_revoked_key_ends_session_and_stream(url, process, browser, make_key):
    key = make_key("k", "--scope", "read")
    browser.sign_in(key)
    with Events(process.port, "/console/v1/live",
            {"Cookie": f"sluice_console={browser.cookie}"}) as events:
        assert events.next_named("overview")["data"]
        query(url, "select sluice.revoke_key(%s)", [key.split("_")[1]])
        wait_for_refusal(lambda: browser.send("GET", "v1/tasks"))
        with pytest.raises(Exception):
            while events.next() is not None:
                pass
            raise ConnectionError("the stream has ended")
    assert browser.session()["signed_in"] is False


@pytest.mark.parametrize("method, path", [("DELETE", "/console/session"),
    ("GET", "/console/session"), ("GET", "/console/"), ("GET", "/healthz"), ("GET", "/metrics")])
@pytest.mark.parametrize("framing, body", [("Content-Length: 60000000", ""),
    ("Transfer-Encoding: chunked", "1\r\nx\r\n0\r\n\r\n")], ids=["length", "chunks"])
def test_nobodys_body_is_kept_before_a_key_is_shown(shared_process, method, path, framing, body):
    with socket.create_connection(("127.0.0.1", shared_process.port), 10) as connection:
        connection.sendall(f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n{framing}\r\n"
            f"Sec-Fetch-Site: same-origin\r\n\r\n{body}".encode())
        assert connection.recv(65536).startswith(b"HTTP/1.1 413 ")


def test_a_sign_in_needs_a_key_in_force_and_little_room(url, browser, make_key):
    key = make_key("k")
    wrong = key[:-1] + ("0" if key[-1] != "0" else "1")
    for text in (wrong, "sluice_" + "0" * 16 + key[23:], "x", key.upper()):
        refused = browser.sign_in(text)
        assert (refused.status, refused.error) == (401, "unauthorized"), text
        assert refused.headers["Set-Cookie"] is None
    for body in ("", "{", "[]", '"x"', {"key": 7}, {"key": ""}, {}, {"key": None}):
        refused = browser.send("POST", "session", body)
        assert (refused.status, refused.json["error"]["param"]) == (400, "key"), body
    assert browser.send("POST", "session", {"key": "x" * 1024}).status == 413
    assert browser.send("PUT", "session", "{}").status == 405
    query(url, "select sluice.revoke_key(%s)", [key.split("_")[1]])
    wait_for_refusal(lambda: browser.sign_in(key))


def test_a_header_counts_before_the_cookie(browser, make_key):
    reader, admin = make_key("reader", "--scope", "read"), make_key("admin", "--scope", "admin")
    browser.sign_in(admin)
    assert browser.send("GET", "v1/keys").status == 200
    of_reader = {"Authorization": f"Bearer {reader}"}
    assert browser.send("GET", "v1/keys", headers=of_reader).status == 403
    assert browser.send("GET", "v1/tasks", headers={"x-api-key": "wrong"}).status == 401
    # a proxy's
    assert browser.send("GET", "v1/keys", headers={"Authorization": "Basic b3Blbg=="}).status == 200


def test_scopes_and_tenants_are_the_keys(url, browser, make_key):
    browser.sign_in(make_key("reader", "--scope", "read"))
    for method, path, body in (("POST", "v1/tasks", {"prompt": "x"}),
            ("POST", "v1/tasks/cancel", {"everything": True}),
            ("POST", "v1/models/m/pause", None), ("POST", "v1/keys", {"name": "k"})):
        assert browser.send(method, path, body).status == 403, path
    task = submit(url, "secret of a", "m", tenant="a")
    browser.sign_in(make_key("b's", "--tenant", "b", "--scope", "submit,read"))
    assert browser.send("GET", f"v1/tasks/{task}").status == 404
    assert browser.send("GET", "v1/queues").status == 403


def test_a_batchs_file_is_uploaded_from_the_page(browser, make_key):
    browser.sign_in(make_key("k"))
    form = ('--b\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n--b\r\n'
        'Content-Disposition: form-data; name="file"; filename="a.jsonl"\r\n\r\n{}\n\r\n--b--\r\n')
    made = browser.send("POST", "v1/files", form,
        headers={"Content-Type": "multipart/form-data; boundary=b"})
    assert made.status == 200 and made.json["bytes"] == 3


def test_metrics_name_the_route_and_no_path(process, browser, make_key):
    browser.sign_in(make_key("k"))
    http(process.port, "GET", "/console/models/secret-name")
    browser.send("GET", "v1/tasks/4711")
    metrics = http(process.port, "GET", "/metrics").body
    assert 'method="GET",route="/v1/tasks/{}",status="404"' in metrics
    assert 'method="GET",route="/console/{}",status="200"' in metrics
    assert 'method="POST",route="/console/session",status="204"' in metrics
    assert "secret-name" not in metrics and "4711" not in metrics


def test_the_page_is_there_while_the_database_is_not(url, process, browser, make_key):
    key = make_key("k")
    browser.sign_in(key)
    holder = connect(url)
    holder.autocommit = False
    try:
        holder.cursor().execute("lock table sluice.migration in access exclusive mode")
        wait_for(lambda: http(process.port, "GET", "/readyz").status == 503, what="its end")
        assert http(process.port, "GET", "/console/models").status == 200
        session = browser.session()
        assert session["signed_in"] and session["unavailable"] == "the database does not answer"
        assert browser.send("GET", "v1/tasks").status == 503
        assert browser.sign_in(key).status == 503
    finally:
        holder.close()
    wait_for(lambda: browser.send("GET", "v1/tasks").status == 200, what="the database")


def test_without_keys_the_page_is_signed_in_and_no_other_page_is(url, server):
    port = server(url).port
    here = f"localhost:{port}"
    browser = Browser(port)
    own = {"Host": here, "Origin": f"http://{here}"}
    session = browser.send("GET", "session", headers={"Host": here}).json
    assert session["signed_in"] and session["without_keys"]
    assert session["scopes"] == ["submit", "read", "admin"]
    assert browser.send("POST", "v1/tasks", {"prompt": "x"}, headers=own).status == 202
    assert browser.send("POST", "session", {}, headers=own).status == 204
    assert http(port, "GET", "/console/", headers={"Host": here, "Sec-Fetch-Site": "cross-site",
            "Sec-Fetch-Mode": "navigate"}).status == 200
    led = http(port, "GET", "/", headers={"Host": here, "Accept": "text/html",
            "Sec-Fetch-Site": "cross-site"})
    assert (led.status, led.headers["Location"]) == (302, "console/")
    for headers in ({"Origin": f"http://127.0.0.1:{port}"}, {"Origin": "null"}, {"Origin": ""},
            {"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"},
            {"Sec-Fetch-Site": "same-site"}, {"Host": f"evil.example:{port}"},
            {"Host": f"evil.example:{port}", "Origin": f"http://evil.example:{port}"}):
        for method, path in (("POST", "v1/tasks"), ("DELETE", "session")):
            refused = browser.send(method, path, {"prompt": "x"} if path != "session" else None,
                site=None, headers=own | headers)
            assert refused.status in (401, 403), headers
    assert http(port, "GET", "/console/", headers={"Host": "evil.example"}).status == 401
    # Outside the console nothing has changed.
    assert http(port, "POST", "/v1/tasks", {"prompt": "x"}, headers=own).status == 401
    assert query(url, "select count(*) from sluice.tasks") == [(1,)]


def test_live_tells_all_rows_then_those_that_change(url, process, make_key):
    add_model(url, "other", "http://127.0.0.1:1")
    key = {"Authorization": f"Bearer {make_key('k', '--scope', 'read')}"}
    with Events(process.port, "/v1/live", key) as events:
        assert events.reply.headers["Content-Type"] == "text/event-stream"
        first = events.next_named("overview")
        assert {row["model"] for row in first["data"]} == {"m", "other"} and first["gone"] == []
        query(url, "update sluice.models set paused = true where name = 'm'")
        changed = events.next_named("overview")["data"]
        assert [(row["model"], row["paused"]) for row in changed] == [("m", True)]
        with Events(process.port, "/v1/live", key) as later:
            rows = later.next_named("overview")["data"]
            assert {row["model"]: row["paused"] for row in rows} == {"m": True, "other": False}
        query(url, "delete from sluice.models where name = 'other'")
        assert events.next_named("overview") == {"object": "list", "data": [], "gone": ["other"]}


def test_live_asks_once_for_all_and_not_at_all_for_nobody(url, process, make_key):
    key = {"Authorization": f"Bearer {make_key('k', '--scope', 'read')}"}
    looks = ("select query_start from pg_stat_activity where datname = current_database() and "
        "pid <> pg_backend_pid() and query like 'select n.event%%'")

    def rests():
        # Each change is written to those who are gone, which is how the server finds out.
        query(url, "update sluice.models set paused = not paused")
        return query(url, "select coalesce(max(query_start) < clock_timestamp() - interval '5 s', "
            f"true) from ({looks}) l") == [(True,)]
    streams = [Events(process.port, "/v1/live", key) for _ in range(20)]
    try:
        for stream in streams:
            stream.next_named("overview")
        seen = set()
        begun = time.monotonic()
        while time.monotonic() < begun + 5:
            seen.update(query(url, looks))
            time.sleep(0.05)
        assert 1 <= len(seen) <= 4  # 20 streams that ask by themselves would be seen 40 times
    finally:
        for stream in streams:
            stream.close()
    wait_for(rests, 30, "rest")


def test_live_streams_of_a_key_are_bounded(process, make_key):
    # 3,000 of a key that were told 400 models at once held up everybody for 3 s.
    key, other = ({"Authorization": f"Bearer {make_key(name, '--scope', 'read')}"}
        for name in ("many", "other"))
    streams = [Events(process.port, "/v1/live", key) for _ in range(128)]
    try:
        refused = http(process.port, "GET", "/v1/live", headers=key)
        assert refused.status == 503 and refused.headers["Retry-After"]
        with Events(process.port, "/v1/live", other) as events:
            assert events.next_named("overview")
    finally:
        for stream in streams:
            stream.close()


def test_live_tells_nobody_the_words_of_a_backend(url, process, make_key):
    query(url, "update sluice.models set closed_until = 'infinity', closed_reason = "
        "'credential: HTTP 401', closed_detail = 'secret env:HIDDEN' where name = 'm'")
    for scope in "read", "admin":
        key = {"Authorization": f"Bearer {make_key(scope, '--scope', scope)}"}
        with Events(process.port, "/v1/live", key) as events:
            row, = events.next_named("overview")["data"]
        assert row["state_reason"] == "credential: HTTP 401" and "HIDDEN" not in str(row)


def test_live_tells_a_tenants_key_only_that_the_server_lives(process, make_key):
    key = {"Authorization": f"Bearer {make_key('k', '--tenant', 't', '--scope', 'read')}"}
    with Events(process.port, "/v1/live", key) as events:
        assert events.next() == ("ping", {})
        begun = time.monotonic()
        assert events.next() == ("ping", {}) and time.monotonic() - begun > 10


def test_live_says_that_the_database_is_away_and_goes_on_afterwards(url, process, make_key):
    key = {"Authorization": f"Bearer {make_key('k', '--scope', 'read')}"}
    with Events(process.port, "/v1/live", key) as events:
        events.next_named("overview")
        query(url, "alter function sluice.show_overview(timestamptz) rename to hidden")
        assert events.next_named("unavailable")["error"]["type"]
        query(url, "alter function sluice.hidden(timestamptz) rename to show_overview")
        assert events.next_named("overview")["gone"] == []


def test_live_ends_with_its_life_and_with_the_server(url, server, make_key):
    key = {"Authorization": f"Bearer {make_key('k', '--scope', 'read')}"}
    short = server(url, "--stream-life", "1s", keys=True)
    with Events(short.port, "/v1/live", key) as events:
        while events.next() is not None:
            pass
    long = server(url, keys=True)
    with Events(long.port, "/v1/live", key) as events:
        events.next_named("overview")
        begun = time.monotonic()
        assert long.stop() == 0 and time.monotonic() - begun < 20
        while events.next() is not None:
            pass


def test_serve_says_where_the_console_is(process):
    assert f"console on http://127.0.0.1:{process.port}/console/\n" in process.stdout()
