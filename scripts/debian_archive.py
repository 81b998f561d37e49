"""Packages and sources of one Debian release, from the mirror that apt is set up with.

Nothing is installed, and the system's apt is only asked for its mirror: lists and downloads lie
below one directory, and no root is needed.
"""
import functools
import os
import pathlib
import re
import subprocess
import sys
import time

KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
HOST_RELEASE = "bookworm"
# Lists are fetched anew after that time, so that a build has yesterday's security fixes.
LISTS_AGE_MAX_S = 24 * 3600
APT_CONFIGURATION = """
APT::Architectures {{ "amd64"; }};
APT::Sandbox::User "root";
Acquire::Languages "none";
Dir::Cache "{directory}/cache";
Dir::Etc::Preferences "/dev/null";
Dir::Etc::PreferencesParts "/dev/null";
Dir::Etc::SourceList "{directory}/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::State "{directory}";
Dir::State::Status "{directory}/status";
"""


def mirrors():
    """The addresses of Debian itself and of its security updates, as apt has them."""
    targets = subprocess.run(["apt-get", "indextargets", "--format",
        "$(RELEASE) $(COMPONENT) $(REPO_URI)", "Created-By: Packages"], check=True,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    found = {}
    for release, component, address in map(str.split, targets.splitlines()):
        if component == "main":
            found.setdefault(release, address)
    try:
        return found[HOST_RELEASE], found[f"{HOST_RELEASE}-security"]
    except KeyError as missing:
        sys.exit(f"sluice: apt knows no mirror of Debian's {missing}: packages are built on Debian "
            "12, with its security updates among apt's sources")


def newest_first(versions):
    def compare(one, other):
        is_less = subprocess.run(["dpkg", "--compare-versions", one, "lt", other]).returncode == 0
        return 1 if is_less else -1
    return sorted(set(versions), key=functools.cmp_to_key(compare))


class Archive:
    """One release, below a directory of its own."""

    def __init__(self, directory, release):
        self.directory = pathlib.Path(directory)
        self.release = release
        self.files = self.directory / "files"
        for folder in ("lists/partial", "cache/archives/partial", "files"):
            (self.directory / folder).mkdir(parents=True, exist_ok=True)
        (self.directory / "status").touch()
        configuration = self.directory / "apt.conf"
        configuration.write_text(APT_CONFIGURATION.format(directory=self.directory))
        self.environment = os.environ | {"APT_CONFIG": str(configuration), "LC_ALL": "C.UTF-8"}
        self._update()

    def fetch(self, names):
        """The newest packages of these names: their .deb files by name."""
        wanted = {}
        shown = self._apt("apt-cache", "show", "--no-all-versions", *names)
        for paragraph in shown.split("\n\n"):
            told = dict(re.findall(r"^(Package|Version|Architecture|Size): (.*)$", paragraph, re.M))
            if told:
                file = "{Package}_{Version}_{Architecture}.deb".format_map(told)
                wanted[told["Package"]] = (file.replace(":", "%3a"), int(told["Size"]))
        missing = [name for name, (file, size) in wanted.items()
            if not (self.files / file).exists() or (self.files / file).stat().st_size != size]
        if missing:
            self._apt("apt-get", "-q", "download", *missing)
        return {name: self.files / wanted[name][0] for name in names}

    def fetch_source(self, name):
        """The newest source package that the mirror has whole: its .dsc file."""
        shown = self._apt("apt-cache", "showsrc", "--only-source", name)
        versions = newest_first(re.findall(r"^Version: (\S+)$", shown, re.M))
        for version in versions:
            file = self.files / f"{name}_{version.partition(':')[2] or version}.dsc"
            try:
                self._apt("apt-get", "-q", "source", "--download-only", f"{name}={version}")
            except subprocess.CalledProcessError:
                print(f"sluice: the mirror lacks the source of {name} {version}: an older one is "
                    "taken", file=sys.stderr)
                continue
            return file
        sys.exit(f"sluice: the mirror lacks the source of {name} in {self.release}")

    def _update(self):
        stamp = self.directory / "updated"
        if stamp.exists() and time.time() - stamp.stat().st_mtime < LISTS_AGE_MAX_S:
            return
        debian, security = mirrors()
        lines = [f"{kind} [signed-by={KEYRING}] {address} {suite} main"
            for kind in ("deb", "deb-src")
            for address, suite in ((debian, self.release), (security, f"{self.release}-security"))]
        (self.directory / "sources.list").write_text("\n".join(lines) + "\n")
        self._apt("apt-get", "-q", "update", "-o", "APT::Update::Error-Mode=any")
        stamp.touch()

    def _apt(self, *command):
        run = subprocess.run(command, cwd=self.files, env=self.environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if run.returncode != 0:
            if "source" not in command:
                sys.stderr.write(run.stderr)
            raise subprocess.CalledProcessError(run.returncode, command)
        return run.stdout


def unpack(package, directory):
    """All files of a .deb."""
    subprocess.run(["dpkg-deb", "-x", package, directory], check=True)


def unpack_source(description, directory):
    """A source package, with Debian's patches. apt has checked its signature."""
    subprocess.run(["dpkg-source", "--no-check", "-x", description, directory], check=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def version_of(file):
    """Of a .deb or a .dsc."""
    if file.suffix == ".deb":
        return subprocess.run(["dpkg-deb", "-f", file, "Version"], check=True, text=True,
            stdout=subprocess.PIPE).stdout.strip()
    return re.search(r"^Version: (\S+)$", file.read_text(errors="replace"), re.M)[1]


def source_of(file):
    """Name and version of the source package of a .deb."""
    package, source, version = (subprocess.run(["dpkg-deb", "-f", file, field], check=True,
        text=True, stdout=subprocess.PIPE).stdout.strip()
        for field in ("Package", "Source", "Version"))
    name, _, apart = source.partition(" ")
    return name or package, apart.strip("()") or version
