"""What mkdocs does not do by itself for the site of docs/ (mkdocs.yml):

- Pages outside docs/ that its pages speak of are part of the site: OUTSIDE.
- Links to files that are not in the site (sources, packaging) become their text.
- In the navigation a folder stands for its pages, and what is not there is left out.
- Pictures that know the site's colours (class figure) are put into the page.
- Lists within lists are indented by two columns, as everywhere but in Python's Markdown.
"""
import pathlib
import posixpath
import re

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
OUTSIDE = ["ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "bench/README.md",
    "bench/narrower.md", *sorted(str(path.relative_to(ROOT)) for path in
    ROOT.glob("bench/results/*.svg"))]
FENCE = re.compile(r"^ *(```+).*?^ *\1 *$", re.M | re.S)
LINK = re.compile(r"(!?)\[((?:[^\[\]]|!?\[[^\]]*\](?:\([^)]*\))?)*)\]\(([^)\s]+)\)")
INNER_ITEM = re.compile(r"^ {2,3}(?=(?:[-*]|\d+\.) )", re.M)
PICTURE = re.compile(r'<p><img alt="[^"]*" src="([^"]+\.svg)" ?/?></p>')


def on_config(config):
    config["nav"] = [item for item in map(existing, config["nav"]) if item]
    return config


def existing(item):
    """An item of the navigation with what is there of it; None: nothing."""
    if isinstance(item, str):
        return item if (DOCS / item).is_file() or item in OUTSIDE else None
    (title, target), = item.items()
    if isinstance(target, list):
        target = [child for child in map(existing, target) if child]
    elif target.endswith("/"):
        target = pages_below(DOCS / target)
    else:
        target = existing(target)
    return {title: target} if target else None


def pages_below(folder):
    """The pages of a folder, its index first, then by name; its folders as sections."""
    pages = sorted(folder.glob("*.md"),
        key=lambda path: (path.stem not in ("index", "README"), path.stem))
    found = [page.relative_to(DOCS).as_posix() for page in pages]
    for child in sorted(path for path in folder.glob("*/") if path.is_dir()):
        if below := pages_below(child):
            found.append({child.name.replace("_", " ").capitalize(): below})
    return found


def on_files(files, config):
    for path in OUTSIDE:
        files.append(File(path, str(ROOT), config["site_dir"], config["use_directory_urls"]))
    return files


def in_repository(uri):
    return uri if uri in OUTSIDE else f"docs/{uri}"


def on_page_markdown(markdown, page, files, **_):
    """Links are right in the repository; here they become right in the site."""
    here = posixpath.dirname(in_repository(page.file.src_uri))

    def link(match):
        picture, text, target = match.groups()
        text = LINK.sub(link, text)  # a picture that is a link
        path, mark, anchor = target.partition("#")
        if "://" in target or not path or target.startswith("mailto:"):
            return f"{picture}[{text}]({target})"
        found = posixpath.normpath(posixpath.join(here, path))
        uri = found.removeprefix("docs/") if found.startswith("docs/") else found
        for name in (uri, f"{uri}/README.md", f"{uri}/index.md"):
            if name in files and in_repository(name) == (
                    found + name.removeprefix(uri)):
                relative = posixpath.relpath(name, posixpath.dirname(page.file.src_uri) or ".")
                return f"{picture}[{text}]({relative}{mark}{anchor})"
        return text

    def prose(text):
        return INNER_ITEM.sub("    ", LINK.sub(link, text))
    parts, end = [], 0
    for fence in FENCE.finditer(markdown):
        parts += [prose(markdown[end:fence.start()]), fence[0]]
        end = fence.end()
    return "".join([*parts, prose(markdown[end:])])


def on_page_content(content, page, **_):
    def put_in(match):
        path = (DOCS / page.file.dest_uri).parent / match[1]
        if not path.is_file() or 'class="figure"' not in (text := path.read_text()):
            return match[0]
        return f'<div class="picture">{text}</div>'
    return PICTURE.sub(put_in, content)
