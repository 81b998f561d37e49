"""The site of docs/ (scripts/site): it builds without a warning, loads nothing from other hosts,
and finds what one looks for."""
import html.parser
import http.server
import json
import os
import re
import shutil
import signal
import subprocess
import threading

import pytest
from conftest import ROOT, clean_environment, private_postgres, wait_for

CHROMIUM = shutil.which("chromium")
MKDOCS = shutil.which("mkdocs", path="/usr/bin")
BUILD_TIMEOUT_S = 120
BROWSER_TIMEOUT_S = 60
# What makes a browser load something, and the attribute that says from where.
LOADING = {"script": "src", "img": "src", "iframe": "src", "source": "src", "video": "src",
    "link": "href", "image": "href", "use": "href", "object": "data", "embed": "src"}
CSP = ("default-src 'self' 'unsafe-inline' data: blob:; worker-src 'self' blob:; "
    "report-uri /violation")
# Loads pages in a frame, one after the other, looks for a word in the search as a reader would, and
# tells what it sees. The last page tries to load from another host.
DRIVER = """<!doctype html><iframe width="1200" height="800"></iframe><script>
const frame = document.querySelector('iframe');
const tell = (what) => fetch('/told', {method: 'POST', body: JSON.stringify(what)});
const load = (page) => new Promise((loaded) => { frame.onload = loaded; frame.src = page; });
const shown = (selector) => frame.contentDocument.querySelectorAll(selector);
async function until(holds) {
  while (!holds()) await new Promise((later) => setTimeout(later, 50));
}
async function drive() {
  await load('/index.html');
  tell({title: shown('h1')[0].textContent, pictures: shown('svg.figure').length});
  const field = shown('.md-search__input')[0];
  field.focus();
  await until(() => {
    field.value = 'heartbeat_timeout';
    field.dispatchEvent(new KeyboardEvent('keyup', {bubbles: true}));
    return shown('.md-search-result__link').length > 0;
  });
  tell({found: [...shown('.md-search-result__link')].map((link) => link.getAttribute('href'))});
  await load('/outside');
}
drive();
</script>"""
OUTSIDE = '<!doctype html><img src="http://outside.invalid/picture.png">'

pytestmark = [pytest.mark.plain_build_only,
    pytest.mark.skipif(MKDOCS is None, reason="mkdocs is not here")]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    directory = tmp_path_factory.mktemp("site") / "site"
    built = subprocess.run([MKDOCS, "build", "--quiet", "--strict", "--config-file",
        ROOT / "mkdocs.yml", "--site-dir", directory], capture_output=True, text=True, cwd=ROOT,
        env=clean_environment({"LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}),
        timeout=BUILD_TIMEOUT_S)
    assert built.returncode == 0, built.stdout + built.stderr
    return directory


class Loads(html.parser.HTMLParser):
    """Addresses from which a page loads, and those of its links."""

    def __init__(self, text):
        super().__init__()
        self.found, self.links = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if values.get(LOADING.get(tag)):
            self.found.append(values[LOADING[tag]])
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])


def is_outside(address):
    return re.match(r"(?:[a-z]+:)?//", address) is not None


def test_nothing_is_loaded_from_other_hosts(site):
    pages, outside = sorted(site.rglob("*.html")), []
    for page in pages:
        text = page.read_text(encoding="utf-8")
        outside += [(page.name, address) for address in Loads(text).found if is_outside(address)]
        assert 'class="mermaid"' not in text, f"{page}: the theme loads mermaid from elsewhere"
    for style in site.rglob("*.css"):
        outside += [(style.name, address) for address in re.findall(
            r"""(?:url\(|@import )["']?((?:https?:)?//[^"')]+)""", style.read_text())]
    assert len(pages) > 20
    assert outside == []


def test_the_navigation_has_every_page(site):
    linked = {link.partition("#")[0] for link in Loads((site / "index.html").read_text()).links}
    pages = {page.relative_to(site).as_posix() for page in site.rglob("*.html")}
    assert pages - linked - {"404.html", "index.html"} == set()


class Handler(http.server.SimpleHTTPRequestHandler):
    """The site, under a policy that forbids other hosts and reports what was tried."""

    def end_headers(self):
        self.send_header("Content-Security-Policy", CSP)
        super().end_headers()

    def do_GET(self):
        own = {"/drive": DRIVER, "/outside": OUTSIDE}.get(self.path)
        if own is None:
            return super().do_GET()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(own.encode())

    def do_POST(self):
        said = self.rfile.read(int(self.headers["Content-Length"])).decode()
        if self.path == "/told":
            self.server.told.update(json.loads(said))
        else:
            self.server.violations.append(said)
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture
def front(site):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0),
        lambda *arguments: Handler(*arguments, directory=site))
    server.told, server.violations = {}, []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def browser(front, tmp_path):
    """Chromium at the driver. No name but the address of this machine can be looked up."""
    process = subprocess.Popen([CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu",
        "--no-first-run", "--disable-background-networking", f"--user-data-dir={tmp_path}",
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--remote-debugging-port=0",
        f"http://127.0.0.1:{front.server_port}/drive"], stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        preexec_fn=private_postgres.die_with_parent)
    yield process
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not here")
def test_a_browser_without_network_shows_it_and_searches(front, browser):
    wait_for(lambda: front.violations, BROWSER_TIMEOUT_S, f"the driver's end, after {front.told}")
    assert front.told["title"].startswith("Sluice")
    assert front.told["pictures"] == 1
    assert any("heartbeat_timeout" in link for link in front.told["found"])
    # the only one is that of the page that shows that it would be seen
    assert all("outside.invalid" in violation for violation in front.violations)
