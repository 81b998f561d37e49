"""The generated blocks of docs/reference/, as Markdown."""
import re
import textwrap

import reference_sources as sources

LINE_CHARS_MAX = 100
TYPES = {"timestamp with time zone": "timestamptz", "integer": "int"}
CODE_WORD = re.compile(r"(?<![\w/.`:{-])(?:(?:settings|models|tenants|sluice|tasks)(?:\.[a-z_]+)+"
    r"|[a-z][a-z0-9]*(?:_[a-z0-9]+)+)(?:\([a-z_, ]*\))?(?![\w`/-])")
ERROR_CODE = re.compile(r"\bSL\d{3}\b")


def short_type(name):
    for long, short in TYPES.items():
        name = name.replace(long, short)
    return name


def plain_default(expression):
    """`'30 days'::interval` as 30 days."""
    if expression is None:
        return ""
    text = re.sub(r"::[\w\" ]+(\[\])?", "", expression)
    text = text[1:-1].replace("''", "'") if re.fullmatch(r"'.*'", text) else text
    return "" if text.upper() == "NULL" else text.removeprefix("@ ")


def prose(text):
    """A comment as Markdown: names of columns and functions as code, error codes as links."""
    text = text.replace("<", "&lt;").replace("|", "\\|")
    text = CODE_WORD.sub(lambda match: f"`{match[0]}`", text)
    return ERROR_CODE.sub(lambda match: f"[{match[0]}](errors.md#{match[0].lower()})", text)


def wrapped(text, first="", rest=""):
    return "\n".join(textwrap.wrap(text, LINE_CHARS_MAX, initial_indent=first,
        subsequent_indent=rest, break_long_words=False, break_on_hyphens=False))


def table(heads, rows):
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def code(text):
    return f"`{text}`" if text else ""


def comment_parts(comment):
    """{"": paragraph, "Params": {names: meaning}, "Returns": text, "Errors": text}, as
    scripts/sql_comments.py lays a comment out. A small table of the paragraph is a list."""
    parts, label = {"": [], "Params": []}, ""
    for line in comment.split("\n"):
        section = re.match(r"(Params|Returns|Errors): ?(.*)", line)
        if section:
            label = section[1]
            parts[label] = [section[2]] if section[2] else []
        else:
            parts[label].append(line)
    entries = {}
    for line in parts["Params"]:
        match = re.match(r"  (\w[\w, ]*?): (.*)", line)
        if match:
            last = match[1]
            entries[last] = match[2]
        elif entries:
            entries[last] += " " + line.strip()
    joined = {label: " ".join(line.strip() for line in lines)
        for label, lines in parts.items() if label not in ("", "Params")}
    return {**joined, "": parts[""], "Params": entries,
        "free": "" if entries else " ".join(parts["Params"])}


def error_entries(text):
    """`SL001 no such model; SL004 an argument; more` as its entries."""
    return re.split(r"; (?=SL\d{3}\b|\d\w{4}\b)", text.rstrip("."))


class Blocks:
    """Makes each kind of block, and knows what no block has shown."""

    def __init__(self, root, catalog, help_of):
        self.root = root
        self.functions = {f["name"]: f for f in catalog["functions"]}
        self.relations = {r["name"]: r for r in catalog["relations"]}
        self.types = {t["name"]: t for t in catalog["types"]}
        self.roles = catalog["roles"]
        self.errors = sources.raised_errors(root / "sql" / "functions")
        self.help = sources.all_help(help_of)
        self.facts = sources.facts(root / "src" / "db" / "sql_message.cc")
        self.shown = {"function": set(), "relation": set(), "type": set(), "error": set()}

    def block(self, kind, arguments):
        return getattr(self, kind)(*arguments)

    def gaps(self):
        """What is public, and on no page; what is on a page, and needs a line by hand."""
        wanted = {"function": self.functions, "relation": self.relations, "type": self.types,
            "error": self.errors}
        for kind, names in wanted.items():
            for name in sorted(set(names) - self.shown[kind]):
                yield f"no page of docs/reference/ shows the {kind} {name}"
        pages = {path.name: path.read_text(encoding="utf-8")
            for path in (self.root / "docs/reference").glob("*.md")}
        for name in sorted(set(re.findall(r"^## (SL\d{3})", pages["errors.md"], re.M))
                - set(self.errors)):
            yield f"errors.md has {name}, which nothing in sql/ raises"
        for name in sorted(sources.variables_read(self.root / "src")):
            if f"`{name}`" not in pages["environment.md"]:
                yield f"environment.md does not name {name}, which the program reads"

    # Functions, views, tables, types.

    def function_list(self, *names):
        """A section for each function."""
        return "\n\n".join(self.function(name) for name in names)

    def function(self, name):
        self.shown["function"].add(name)
        function = self.functions[name]
        parts = comment_parts(function["comment"] or "")
        out = [f"### {name}", self.paragraphs(parts[""]), self.signature(function)]
        meanings = {word: meaning for words, meaning in parts["Params"].items()
            for word in re.split(r", | or | and ", words)}
        rows = [[code(a["name"]), short_type(a["type"]), self.default_of(a),
                prose(meanings.get(a["name"], ""))]
            for a in function["arguments"] or () if a["name"] != "p_now"]
        if parts["free"]:
            out.append(wrapped("Arguments: " + prose(parts["free"])))
        elif rows:
            out.append(table(["argument", "type", "default", "meaning"], rows))
        if parts.get("Returns"):
            out.append(wrapped("**Returns** " + prose(parts["Returns"])))
        if parts.get("Errors"):
            entries = error_entries(parts["Errors"])
            out.append("\n".join(["**Errors**", "", *(wrapped(prose(entry), "- ", "  ")
                            for entry in entries)]) if len(entries) > 1
                else wrapped("**Errors** " + prose(parts["Errors"])))
        out.append("For " + ", ".join(code("sluice_" + role) for role in function["roles"]) + ".")
        return "\n\n".join(piece for piece in out if piece)

    @staticmethod
    def paragraphs(lines):
        plain = [line for line in lines if not line.startswith("  ")]
        if len(plain) == len(lines):
            return wrapped(prose(" ".join(lines)))
        first = next(i for i, line in enumerate(lines) if line.startswith("  "))
        items = []
        for line in lines[first:]:
            if line.startswith("    "):
                items[-1] += " " + line.strip()
            elif line.startswith("  "):
                items.append(line.strip())
        return "\n\n".join([wrapped(prose(" ".join(lines[:first]))),
                "\n".join(wrapped(prose(item), "- ", "  ") for item in items),
                wrapped(prose(" ".join(plain[first:])))])

    @staticmethod
    def default_of(argument):
        if not argument["has_default"]:
            return "required"
        return code(plain_default(argument["default"]) or "null")

    @staticmethod
    def signature(function):
        arguments = [f"{a['name']} {short_type(a['type'])}"
            for a in function["arguments"] or () if a["name"] != "p_now"]
        result = re.sub(r"^TABLE\(", "table (", re.sub(r"^SETOF ", "setof ",
            short_type(function["result"])))
        text = f"sluice.{function['name']}({', '.join(arguments)}) returns {result}"
        return "```text\n" + "\n".join(textwrap.wrap(text, 90, subsequent_indent="    ",
            break_long_words=False)) + "\n```"

    def view_list(self, *names):
        return "\n\n".join(self.relation(name, ["column", "type", "meaning"]) for name in names)

    def table_list(self, *names):
        return "\n\n".join(self.relation(name, ["column", "type", "default", "meaning"])
            for name in names)

    def relation(self, name, heads):
        self.shown["relation"].add(name)
        relation = self.relations[name]
        out = [f"## {name}", wrapped(prose(" ".join((relation["comment"] or "").split("\n"))))]
        if relation["kind"] != "S":
            rows = [[code(c["name"]), short_type(c["type"]), self.column_default(c),
                    prose(c["comment"] or "")] for c in relation["columns"]]
            out.append(table(heads, [row if len(heads) == 4 else [row[0], row[1], row[3]]
                        for row in rows]))
        if relation["constraints"] and "default" in heads:
            out.append("Constraints; a refusal names the fact:")
            out.append("\n".join(f"- {self.fact(name, relation)}"
                    for name in relation["constraints"]))
        for verb, right in ("Read", "select"), ("Edited", "update"):
            roles = [code("sluice_" + role) for role, rights in relation["roles"].items()
                if right in rights]
            if roles:
                out.append(wrapped(f"{verb} by {', '.join(roles)}."))
        return "\n\n".join(out)

    def fact(self, name, relation):
        """A constraint's name in words, as src/db/sql_message.cc says it."""
        column = next((c["name"] for c in sorted(relation["columns"], key=lambda c: -len(c["name"]))
                if name.startswith(c["name"] + "_")), "")
        words = code(column) + name[len(column):].replace("_", " ")
        return prose(self.facts[name]) if name in self.facts else words

    @staticmethod
    def column_default(column):
        if column["identity"]:
            return "next number"
        default = plain_default(column["default"])
        if default:
            return "now" if "clock_timestamp" in default else code(default)
        return "required" if column["required"] else "null"

    def type_list(self, *names):
        out = []
        for name in names:
            self.shown["type"].add(name)
            kind = self.types[name]
            rows = [[code(c["name"]), short_type(c["type"]), prose(c["comment"] or "")]
                for c in kind["columns"]]
            out += [f"## {name}", wrapped(prose(" ".join((kind["comment"] or "").split("\n")))),
                table(["attribute", "type", "meaning"], rows)]
        return "\n\n".join(out)

    # Errors and roles.

    def messages(self, error):
        """The messages of an error, with their hints, as the sources have them."""
        self.shown["error"].add(error)
        rows = [[self.in_cell(message), self.in_cell(hint)]
            for message, hint in self.errors.get(error, ())]
        return table(["message", "hint"], rows) if rows else ""

    @staticmethod
    def in_cell(text):
        return text.replace("<", "&lt;").replace("|", "\\|").replace("*", "\\*").strip()

    def role_list(self):
        out = []
        for role in self.roles:
            name = role["name"]
            calls = [f["name"] for f in self.functions.values() if name in f["roles"]]
            rights = {r["name"]: r["roles"][name] for r in self.relations.values()
                if name in r["roles"]}
            out += [f"## sluice_{name}", wrapped(prose(role["comment"] or ""))]
            for verb, names in (("Edits", [n for n in rights if "update" in rights[n]]),
                    ("Reads", [n for n in rights if "update" not in rights[n]]),
                    ("Calls", calls)):
                if names:
                    out.append(wrapped(f"**{verb}** " + ", ".join(map(code, names)) + "."))
        return "\n\n".join(out)

    # The command line.

    def commands(self):
        out = []
        for command in self.help:
            words = " ".join(["sluice", *command.words])
            out += [f"{'##' if len(command.words) < 2 else '###'} {words}",
                wrapped(self.plain(command.summary) + "."), f"```text\n{command.usage}\n```"]
            rows = [[code(option.shown), self.flag_default(option.default),
                    code(option.variable), self.plain(option.meaning)]
                for option in [*command.positionals, *command.options]]
            if rows:
                out.append(table(["argument or flag", "default", "environment", "meaning"], rows))
            if command.more:
                out.append(f"```text\n{command.more}\n```")
        return "\n\n".join(out)

    def flag_default(self, default):
        """Words as they are, values as code."""
        return self.plain(default) if " " in default else code(default)

    def variables(self):
        """Which flags read which variable."""
        rows = {}
        for command in self.help:
            for option in command.options:
                if option.variable:
                    row = rows.setdefault(option.variable, [option.shown.split()[0], []])
                    row[1].append(code(" ".join(["sluice", *command.words])))
        return table(["variable", "flag", "of"], [[code(name), code(flag), ", ".join(commands)]
                for name, (flag, commands) in sorted(rows.items())])

    @staticmethod
    def plain(text):
        return text.replace("<", "&lt;").replace("|", "\\|").replace("*", "\\*")

    def exit_codes(self):
        meanings = sources.exit_codes(self.root / "src" / "exit_code.h")
        return table(["code", "meaning"], [[number, self.plain(meaning or "done")]
                for number, meaning in meanings])
