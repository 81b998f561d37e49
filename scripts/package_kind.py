"""What those kinds of packages in scripts/package.d have in common that are in Python: arguments,
what they are built from, and that two builds make the same bytes."""
import dataclasses
import filecmp
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
WORK = ROOT / "build/package-work"
PACKAGES = ROOT / "build/packages"


@dataclasses.dataclass(frozen=True)
class Origin:
    """What a package is built from. Its files have the commit's time."""
    version: str
    revision: str
    epoch_s: int


def git(*arguments):
    return subprocess.run(["git", "-c", f"safe.directory={ROOT}", "-C", ROOT, *arguments],
        check=True, text=True, stdout=subprocess.PIPE).stdout


def origin():
    """Of this tree; a copy without git is told by these two variables."""
    version = re.search(r"^  version: '(.*)',$", (ROOT / "meson.build").read_text(), re.M)[1]
    revision = os.environ.get("PACKAGE_REVISION")
    if not revision:
        revision = git("rev-parse", "HEAD").strip()
        if git("status", "--porcelain"):
            revision += "+changes"
    epoch = os.environ.get("SOURCE_DATE_EPOCH") or git("log", "-1", "--format=%ct")
    return Origin(version, revision, int(epoch))


def copy_tree(folder, uses):
    """All that git knows or would know, the packages that have been fetched from Debian, and those
    of ours that this one uses."""
    listed = git("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
    for name in listed.split("\0"):
        if name and (ROOT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    for path in (WORK / "archive", *(PACKAGES / kind for kind in uses)):
        shutil.copytree(path, folder / path.relative_to(ROOT))


def reproduce(kind, built_from, uses):
    """Builds here, and once more in a folder of another name and depth, in another time zone and
    without ccache; compares. What this kind uses is not built anew, but reproduced by itself."""
    subprocess.run([ROOT / "scripts/package.d" / kind, "build"], check=True)
    with tempfile.TemporaryDirectory(prefix="sluice-package-") as folder:
        tree = pathlib.Path(folder, "another/place")
        copy_tree(tree, uses)
        subprocess.run([tree / "scripts/package.d" / kind, "build"], check=True,
            env=os.environ | {"CCACHE_DISABLE": "1", "TZ": "Pacific/Kiritimati",
                "PACKAGES_GIVEN": " ".join(uses),
                "PACKAGE_REVISION": built_from.revision,
                "SOURCE_DATE_EPOCH": str(built_from.epoch_s)})
        here, there = PACKAGES / kind, tree / PACKAGES.relative_to(ROOT) / kind
        names = sorted({file.name for folder in (here, there) for file in folder.iterdir()})
        _, different, missing = filecmp.cmpfiles(here, there, names, shallow=False)
        if different or missing:
            kept = PACKAGES.parent / "package-differs" / kind
            shutil.rmtree(kept, ignore_errors=True)
            shutil.copytree(there, kept)
            sys.exit(f"sluice: two builds differ in {', '.join(different + missing)}; the second "
                f"is in {kept.relative_to(ROOT)}")
        subprocess.run(["sha256sum", *names], cwd=there, check=True)
    print(f"{kind}: built twice, the same bytes")


def use(kind):
    """Builds a package that another one is made from; its folder."""
    if kind not in os.environ.get("PACKAGES_GIVEN", "").split():
        subprocess.run([ROOT / "scripts/package.d" / kind, "build"], check=True)
    return PACKAGES / kind


def run(kind, documentation, build, uses=()):
    """Does what the command line says. Params: documentation: printed as the help; build: a
    function of Origin and the folder to put the package into; uses: kinds that it is made from."""
    os.umask(0o022)
    for name in ("CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS"):
        os.environ.pop(name, None)  # the caller's flags are not the package's
    action = sys.argv[1] if len(sys.argv) > 1 else "build"
    if action in ("-h", "--help"):
        print(documentation.strip())
    elif action == "build":
        built_from, folder = origin(), PACKAGES / kind
        WORK.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        build(built_from, folder)
    elif action == "reproduce":
        reproduce(kind, origin(), uses)
    elif action == "test":
        sys.exit(subprocess.run(["/usr/bin/python3", "-m", "pytest", "-q", "-p", "no:cacheprovider",
            ROOT / f"tests/packaging/test_{kind}.py"]).returncode)
    else:
        print(documentation.strip(), file=sys.stderr)
        sys.exit(2)
