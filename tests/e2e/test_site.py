"""The site of docs/ (scripts/site): it builds without a warning, loads nothing from other hosts,
and finds what one looks for."""
import html.parser
import http.server
import re
import shutil
import subprocess
import threading

import pytest
from conftest import ROOT, clean_environment

CHROMIUM = shutil.which("chromium")
MKDOCS = shutil.which("mkdocs", path="/usr/bin")
BUILD_TIMEOUT_S = 120
BROWSER_TIMEOUT_S = 60
# What makes a browser load something, and the attribute that says from where.
LOADING = {"script": "src", "img": "src", "iframe": "src", "source": "src", "video": "src",
    "link": "href", "image": "href", "use": "href", "object": "data", "embed": "src"}
CSP = ("default-src 'self' 'unsafe-inline' data: blob:; worker-src 'self' blob:; "
    "report-uri /violation")
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
        self.server.asked.append(self.path)
        if self.path != "/outside":
            return super().do_GET()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(OUTSIDE.encode())

    def do_POST(self):
        self.server.violations.append(
            self.rfile.read(int(self.headers["Content-Length"])).decode())
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture
def front(site):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0),
        lambda *arguments: Handler(*arguments, directory=site))
    server.asked, server.violations = [], []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def browse(front, path, profile):
    """The page as the browser has it after some seconds of its time. No name but the address of
    this machine can be looked up."""
    shown = subprocess.run([CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu",
        "--no-first-run", "--disable-background-networking", f"--user-data-dir={profile}",
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--virtual-time-budget=8000",
        "--dump-dom", f"http://127.0.0.1:{front.server_port}{path}"],
        capture_output=True, text=True, timeout=BROWSER_TIMEOUT_S)
    assert shown.returncode == 0, shown.stderr
    return shown.stdout


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not here")
def test_a_browser_without_network_shows_it_and_searches(front, tmp_path):
    assert "queue for calls of language models" in browse(front, "/index.html", tmp_path)
    assert 'class="figure"' in browse(front, "/concepts/breaker.html", tmp_path)
    found = browse(front, "/index.html?q=heartbeat_timeout", tmp_path)
    assert "md-search-result__link" in found
    assert front.violations == []
    browse(front, "/outside", tmp_path)
    assert "outside.invalid" in "".join(front.violations)  # so would have been seen
