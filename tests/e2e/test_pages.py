"""The pages of documentation: every command runs (page_tools.py), every link has its end."""
import collections
import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import urllib.parse

import pytest
from conftest import (BINARY, ROOT, clean_environment, databases_of_a_server, free_port,
    private_postgres, wait_for)
from page_tools import beside, blocks_of, missing_lines, outputs_of, script_of, starts_itself

pytestmark = pytest.mark.plain_build_only

PAGE_TIMEOUT_S = 120  # the longest takes some 10 s alone
PAGES = [ROOT / "README.md", *sorted(path for path in (ROOT / "docs").rglob("*.md")
    if "decisions" not in path.parts)]
WITH_COMMANDS = [page for page in PAGES
    if any(block.runs() for block in blocks_of(page.read_text(encoding="utf-8")))]
LINKED = [page for pattern in ("*.md", "docs/**/*.md", "bench/*.md", "sql/*.md", "web/*.md")
    for page in sorted(ROOT.glob(pattern))]


def name_of(page):
    return os.path.relpath(page, ROOT)


@pytest.fixture(scope="module")
def databases():
    """A server of the pages' own: they make roles, which are a server's."""
    with databases_of_a_server() as databases:
        yield databases


@pytest.fixture
def directory():
    # Where the server's account can go: pytest's own directories are closed to others.
    path = pathlib.Path(tempfile.mkdtemp(prefix="sluice-page-",
        dir=private_postgres.roomy_parent()))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path, ignore_errors=True)


def put_sluice(directory, ports):
    """The program as the page calls it, at the ports of this run."""
    (directory / "build").mkdir()
    wrapper = directory / "build" / "sluice"
    wrapper.write_text(f"""#!/bin/bash
case "${{1:-}} $*" in
  *" --listen"*) ;;
  up* | serve*) set -- "$@" --listen 127.0.0.1:{ports[8080]} ;;
  mock*) set -- "$@" --listen 127.0.0.1:{ports[8090]} ;;
esac
exec {BINARY} "$@"
""")
    wrapper.chmod(0o755)


def environment_of(directory, url, mock_url):
    # Without anybody's keys: a model of a provider is parked, and nobody is called.
    kept = {name: value for name, value in clean_environment().items()
        if not name.endswith(("_API_KEY", "_TOKEN", "_proxy", "_PROXY"))}
    return kept | {"PATH": f"{directory}/build:/usr/bin:/bin", "DATABASE_URL": url,
        "MOCK_URL": mock_url, "HOME": str(directory), "LC_ALL": "C.UTF-8", "PAGER": "cat"}


def group_lives(group):
    """Whether any process of a group runs (not one that has ended, and nobody waited for)."""
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, _, its_group = path.read_text().rpartition(")")[2].split()[:3]
            if int(its_group) == group and state != "Z":
                return True
    return False


def run_script(directory, environment):
    """Runs script.sh and all that it starts; its exit status, and what was written."""
    with open(directory / "output", "w") as output:
        process = subprocess.Popen(["bash", "script.sh"], cwd=directory, env=environment,
            stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=lambda: private_postgres.die_with_parent(signal.SIGTERM))
    status = "not ended"
    try:
        with contextlib.suppress(subprocess.TimeoutExpired):
            status = process.wait(PAGE_TIMEOUT_S)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        process.wait()
        try:
            wait_for(lambda: not group_lives(process.pid), 30, "the end of what the page started")
        except AssertionError:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    return status, (directory / "output").read_text(errors="replace")


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=name_of)
def test_commands_of_page(page, databases, directory, mock, worker, server):
    text = page.read_text(encoding="utf-8")
    blocks = blocks_of(text)
    url = databases.database()
    backend = mock()
    ports = collections.defaultdict(free_port)
    if not starts_itself(blocks, "mock"):
        ports[8090] = int(backend.url.rpartition(":")[2])
    if "worker" in beside(text):
        worker(url, env={"PATH": "/usr/bin:/bin"})
    if "server" in beside(text):
        ports[8080] = server(url, keys=True).port
    put_sluice(directory, ports)
    script_of(blocks, ports, directory)
    status, output = run_script(directory, environment_of(directory, url, backend.url))
    outputs = outputs_of(output)
    at = blocks[max(outputs, default=0)]
    assert status == 0, f"{name_of(page)}:{at.line}: status {status}\n{output[-4000:]}"
    assert list(missing_lines(blocks, outputs)) == [], output[-4000:]


PAGE = """
<!-- Set-up:
```sh
export MANY=3
```
-->

<!-- file: words -->
```text
one two
```
<!-- not run: it would fail -->
```sh
false
```
<!-- in a terminal of its own, until it says: beside -->
```sh
echo beside 127.0.0.1:9999; exec sleep 60
```
<!-- until it holds: test -s words -->
```sh
WORDS=$(cat words)
```
```sh
echo "$WORDS $MANY"
```
<!-- compared but for numbers -->
```text
one … 17
```
"""


def run_page(text, directory):
    """Status, output and missing lines of a page that needs no database."""
    blocks = blocks_of(text)
    script_of(blocks, collections.defaultdict(lambda: 1), directory)
    status, output = run_script(directory, environment_of(directory, "", ""))
    return status, output, list(missing_lines(blocks, outputs_of(output)))


def test_a_page_runs_as_one_script(directory):
    status, output, missing = run_page(PAGE, directory)
    assert (status, missing) == (0, [])
    assert output.endswith("one two 3\n")
    assert (directory / "terminal-3.out").read_text() == "beside 127.0.0.1:1\n"


def test_a_command_that_fails_and_a_line_that_is_missing_are_found(directory):
    assert run_page(PAGE.replace("echo \"", "false; echo \""), directory)[0] == 1
    assert run_page(PAGE.replace("one …", "two …"), directory)[2] == [(28, "two … 17")]
    assert run_page(PAGE.replace("exec sleep 60", "exit 3").replace("says: b", "says: c"),
        directory)[0] == 1


def without_code(text):
    text = re.sub(r"^ *(```+).*?^ *\1 *$", "", text, flags=re.M | re.S)
    return re.sub(r"(`+)[^`].*?\1", "", text, flags=re.S)


def anchors_of(page):
    """The anchors of a page's headings, as GitHub makes them; the site makes the same of ours."""
    counts, anchors = collections.Counter(), set()
    text = re.sub(r"^ *(```+).*?^ *\1 *$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    for heading in re.findall(r"^#+ +(.+?) *$", text, re.M):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")
        anchors.add(slug if not counts[slug] else f"{slug}-{counts[slug]}")
        counts[slug] += 1
    return anchors


def broken_links(page):
    text = without_code(page.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = urllib.parse.unquote(target).partition("#")
        found = (page.parent / path).resolve() if path else page
        if not found.exists():
            yield f"{name_of(page)}: no file {target}"
        elif anchor and (found.suffix != ".md" or anchor not in anchors_of(found)):
            yield f"{name_of(page)}: no heading {target}"


@pytest.mark.parametrize("page", LINKED, ids=name_of)
def test_links_of_page(page):
    assert list(broken_links(page)) == []


def test_a_broken_link_is_found(tmp_path):
    (tmp_path / "there.md").write_text("# It is\n\n## It is\n")
    page = tmp_path / "page.md"
    page.write_text(
        "[a](there.md#it-is) [b](there.md#it-is-1) `[c](nowhere.md)` [d](https://x.example/y)\n"
        "[e](nowhere.md) [f](there.md#nothing)\n")
    assert [link.rpartition(": ")[2] for link in broken_links(page)] == [
        "no file nowhere.md", "no heading there.md#nothing"]


def numbers_of(text):
    return set(re.findall(r"\d[\d,.]*\d|\d", text))


def test_performance_shows_figures_of_the_benches():
    """Whoever records new ones learns here that the page is old."""
    recorded = numbers_of("".join((ROOT / name).read_text(encoding="utf-8")
        for name in ("README.md", "bench/README.md", "bench/narrower.md")))
    rows = re.findall(r"^\|[^|]*\|(.*)$", (ROOT / "docs/performance.md").read_text(), re.M)
    assert len(rows) > 15
    assert set().union(*map(numbers_of, rows)) - recorded == set()


def test_pictures_of_concepts_are_as_drawn():
    drawn = subprocess.run([ROOT / "scripts" / "concept_pictures", "--check"], capture_output=True,
        text=True)
    assert (drawn.returncode, drawn.stdout) == (0, "")
