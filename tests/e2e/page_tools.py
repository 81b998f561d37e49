"""The commands of a page of documentation, as one script of bash.

Blocks ```sh and ```sql are run in the page's order, in one bash with -euo pipefail, SQL by psql. A
comment on the lines above a block says more of it:

  <!-- not run: REASON -->
      it cannot run in a test
  <!-- in a terminal of its own, until it says: TEXT -->
      beside the rest, which waits for TEXT in its output
  <!-- until it holds: COMMAND -->
      first waits until the command succeeds
  <!-- file: NAME -->
      no command: the text of a file to be saved
  <!-- compared -->
      above ```text: its lines are among those that the last block wrote; … stands for anything
  <!-- compared but for numbers -->
      the same, and each number stands for any
  <!-- beside this page: worker, server -->
      anywhere: these run on the page's database meanwhile

A comment that holds blocks is a set-up that no reader sees; they run in their place.

The page finds `sluice` on its PATH and as build/sluice, the database as DATABASE_URL, and a mock
backend as MOCK_URL. Addresses of 127.0.0.1 in a page get free ports, each number one of its own;
8090 is the mock's and 8080 the server's, unless the page starts one itself.
"""
import dataclasses
import re

COMMENT = re.compile(r"<!--\s*(.*?)\s*-->", re.S)
ADDRESS = re.compile(r"""(127\.0\.0\.1(?::|", ))([1-9]\d{3,4})\b""")
BEFORE = """\
set -euo pipefail
trap 'trap - TERM; kill 0' TERM
begin() { printf '\\n@@ %s\\n' "$1"; }
# terminal NAME TEXT: runs NAME.sh beside us, and waits until it says TEXT.
terminal() {
  bash -euo pipefail "$1.sh" >"$1.out" 2>&1 &
  local pid=$!
  until grep -qF -- "$2" "$1.out"; do
    kill -0 "$pid" 2>/dev/null || { cat "$1.out"; exit 1; }
    sleep 0.05
  done
}
"""


@dataclasses.dataclass
class Block:
    line: int
    language: str
    text: str
    marks: list

    def mark(self, name):
        """What a comment says after `name`; None: there is no such comment."""
        for mark in self.marks:
            if mark.partition(":")[0] == name:
                return mark.partition(":")[2].strip()
        return None

    def runs(self):
        return self.language in ("sh", "sql") and not any(
            self.mark(name) is not None for name in ("not run", "file"))


def blocks_of(text, first_line=1):
    """The fenced blocks of a page, with the comments directly above each."""
    blocks, marks = [], []
    lines = iter(enumerate(text.split("\n"), first_line))
    for number, line in lines:
        fence = re.match(r"( *)(`{3,})(\w*)", line)
        if fence:
            body = []
            for _, line in lines:
                if line.strip() == fence[2]:
                    break
                body.append(line.removeprefix(fence[1]))
            blocks.append(Block(number, fence[3], "\n".join(body) + "\n", marks))
            marks = []
        elif line.lstrip().startswith("<!--"):
            comment = line.lstrip()
            while "-->" not in comment:
                comment += "\n" + next(lines)[1]
            if "\n```" in comment:
                blocks += blocks_of(comment.removeprefix("<!--"), number)
            else:
                marks.append(" ".join(COMMENT.match(comment)[1].split()))
        else:
            marks = []
    return blocks


def beside(text):
    """What a page wants to run beside it."""
    return {word for comment in COMMENT.findall(text) if comment.startswith("beside this page:")
        for word in re.findall(r"\w+", comment.partition(":")[2])}


def starts_itself(blocks, command):
    return any(re.search(rf"\bsluice {command}\b(?!.*--listen)", block.text) for block in blocks
        if block.mark("in a terminal of its own, until it says") is not None)


def with_ports(text, ports):
    """The text with the ports that it is to use; `ports`: by the page's, a default for others."""
    return ADDRESS.sub(lambda match: match[1] + str(ports[int(match[2])]), text)


def script_of(blocks, ports, directory):
    """Writes the files of a page into the directory, among them script.sh, which runs it."""
    parts = [BEFORE]
    for number, block in enumerate(blocks):
        text = with_ports(block.text, ports)
        if name := block.mark("file"):
            (directory / name).write_text(text)
        if not block.runs():
            continue
        if condition := block.mark("until it holds"):
            parts.append(f"until {with_ports(condition, ports)}; do sleep 0.05; done\n")
        parts.append(f"begin {number}\n")
        said = block.mark("in a terminal of its own, until it says")
        if said is not None:
            (directory / f"terminal-{number}.sh").write_text(text)
            parts.append(f"terminal terminal-{number} '{said}'\n")
        elif block.language == "sql":
            parts.append(
                f"psql -X -v ON_ERROR_STOP=1 -d \"$DATABASE_URL\" <<'@@sql'\n{text}@@sql\n")
        else:
            parts.append(text)
    (directory / "script.sh").write_text("".join(parts))


def outputs_of(output):
    """What each block wrote, by its number."""
    parts = re.split(r"^@@ (\d+)\n", output, flags=re.M)
    return {int(number): text for number, text in zip(parts[1::2], parts[2::2])}


def missing_lines(blocks, outputs):
    """Lines that a page says a block writes and that it did not: (line of the page, text)."""
    last = ""
    for number, block in enumerate(blocks):
        last = outputs.get(number, last)
        loosely = block.mark("compared but for numbers") is not None
        if block.language == "text" and (loosely or block.mark("compared") is not None):
            written = [line.strip() for line in last.split("\n")]
            for line in filter(str.strip, block.text.split("\n")):
                pattern = ".*".join(map(re.escape, line.strip().split("…")))
                if loosely:
                    pattern = re.sub(r"\d+", r"\\d+", pattern)
                if not any(re.fullmatch(pattern, candidate) for candidate in written):
                    yield block.line, line
