"""Comments of public functions and views, made of what stands above them in sql/functions.

What stands above a function is for callers up to the first empty comment line, and for developers
below it: so psql's \\df+, docs/reference/ and the developer read one text. Public is what
grants.sql names. A comment has a paragraph, then Params, Returns and Errors, each where there is
any; other sections (Locks …) are for developers, too.
"""
import re
import textwrap

# In psql's expanded output 22 columns stand in front and 2 behind: a terminal of 80 columns.
WIDTH_CHARS = 56
SECTIONS = ("Params", "Returns", "Errors")
GRANT = re.compile(r"^grant (execute|select)\b.*?\bon (?:function)?(.*?)\bto\b", re.M | re.S)
SIGNATURE = re.compile(r"sluice\.(\w+)\(((?:[^()]|\([^()]*\))*)\)")
HEAD = re.compile(r"((?:^--[^\n]*\n)+)^create or replace (function|view) sluice\.(\w+)"
    r"(?:\((.*?)\)\s*(?:returns|language|as)\b)?", re.M | re.S)


def public_objects(grants):
    """(signatures, views): of functions by name, `(text, int)`; of views the names."""
    signatures, views = {}, set()
    for kind, objects in GRANT.findall(re.sub(r"--[^\n]*", "", grants)):
        if kind == "execute":
            for name, types in SIGNATURE.findall(objects):
                signatures.setdefault(name, f"({' '.join(types.split())})")
        else:
            views.update(re.findall(r"sluice\.(\w+)", objects))
    return signatures, views


def argument_names(declared):
    """`a int default 1, out b text` as [a, b]."""
    names = [re.match(r"\s*(?:(?:out|in|inout)\s+)?(\w+)", part)[1]
        for part in re.split(r",(?![^(]*\))", declared) if part.strip()]
    return names


def sections_of(head):
    """What of the lines above an object is for callers: {"": paragraph, "Params": text …}."""
    found, label = {"": []}, ""
    lines = [re.sub(r"^-- ?", "", line) for line in head.strip("\n").split("\n")]
    for line in lines:
        section = re.match(r"([A-Z][a-z]+): +(.*)", line)
        if not line.strip():
            break
        if section:
            label = section[1]
            found[label] = [section[2]]
        elif label and not line.startswith(" "):
            break  # a paragraph below the sections
        elif not line.startswith("twin: "):
            found[label].append(line)
    first = re.sub(r"^\w+(, \w+)*: ", "", found[""][0]) if found[""] else ""
    if re.match(r"[a-z]+(?:[ ,:]|$)", first):  # no function's or column's name
        first = first[0].upper() + first[1:]
    found[""] = [first, *found[""][1:]]
    return {label: lines for label, lines in found.items() if label in ("", *SECTIONS)}


def entries_of(text, names):
    """`a: this; b, c: that; p_now.` as [("a", "this"), ("b, c", "that")]; [] where the text is of
    another kind. p_now is the same everywhere, and left out."""
    name = "(?:" + "|".join(map(re.escape, names)) + ")" if names else "(?!)"
    # A bare name says nothing.
    text = re.sub(rf"(?:^|(?<=; )){name}(?:; |\.?$)", "", text).rstrip(".; ")
    label = re.compile(rf"(?:^|[;.] )({name}(?:(?:, | or | and ){name})*): ")
    pieces = label.split(text)
    if len(pieces) < 3 or pieces[0].strip():
        return []
    return list(zip(pieces[1::2], (piece.strip() for piece in pieces[2::2])))


def is_laid_out(lines):
    """Whether the lines are a small table, which is kept as it is."""
    return any(re.match(r" {2,}\S+ {2,}\S", line) for line in lines)


def wrapped(text, first="", rest=""):
    return textwrap.wrap(text, WIDTH_CHARS, initial_indent=first, subsequent_indent=rest,
        break_long_words=False, break_on_hyphens=False)


def paragraph(lines):
    if not is_laid_out(lines):
        return wrapped(" ".join(line.strip() for line in lines))
    out, text = [], []
    for line in [*lines, ""]:
        if line.startswith("  ") or not line:
            out += wrapped(" ".join(text)) if text else []
            out += [re.sub(r"^ +(\S+) +", r"  \1: ", line)] if line else []
            text = []
        else:
            text.append(line)
    return [piece for line in out for piece in (wrapped(line.strip(), "  ", "    ")
        if line.startswith("  ") else [line])]


def comment_text(head, names):
    sections = sections_of(head)
    lines = paragraph(sections[""])
    for label in SECTIONS:
        text = " ".join(line.strip() for line in sections.get(label, ()))
        if label == "Params" and text in ("p_now.", "p_now"):
            continue
        entries = entries_of(text, names) if label == "Params" else []
        if entries:
            lines += [label + ":"]
            for name, meaning in entries:
                lines += wrapped(f"{name}: {meaning}", "  ", "    ")
        elif text:
            lines += wrapped(f"{label}: {text}", "", "  ")
    return "\n".join(lines)


def comments_sql(files):
    """The statements that comment on all public functions and views. `files`: texts of
    sql/functions by path. Raises ValueError for a function above which nothing stands."""
    signatures, views = public_objects(files["grants.sql"])
    statements = {}
    for text in files.values():
        for head, kind, name, declared in HEAD.findall(text):
            if kind == "view" and name in views:
                statements[f"view sluice.{name}"] = comment_text(head, [])
            elif kind == "function" and name in signatures:
                names = argument_names(declared)
                key = f"function sluice.{name}{signatures[name]}"
                statements.setdefault(key, comment_text(head, names))
    missing = [name for name in signatures
        if f"function sluice.{name}{signatures[name]}" not in statements]
    if missing:
        raise ValueError("no comment stands above " + ", ".join(sorted(missing)))
    for key, text in statements.items():
        if re.search(r"^(grant|revoke) ", text, re.M):  # `migrate --without-roles` would cut it out
            raise ValueError(f"a line of the comment on {key} begins with grant or revoke")
    return "".join("comment on {} is '{}';\n".format(key, text.replace("'", "''"))
        for key, text in sorted(statements.items()))
