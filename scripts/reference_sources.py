"""What docs/reference/ is made of: queries of the catalog, the help of commands, errors in SQL."""
import re

# What a role other than the owner may use; grantees are roles' names without their prefix.
QUERIES = {
    "functions": """
        select p.proname as name, obj_description(p.oid, 'pg_proc') as comment,
          pg_get_function_result(p.oid) as result,
          (select array_agg(replace(a.grantee::regrole::text, 'sluice_', '')
            order by a.grantee::regrole::text)
          from aclexplode(p.proacl) a where a.grantee <> p.proowner) as roles,
          (select json_agg(json_build_object('name', p.proargnames[i],
              'type', format_type(t.type, null),
              'default', pg_get_function_arg_default(p.oid, i::int),
              'has_default', i > p.pronargs - p.pronargdefaults) order by i)
          from unnest(p.proargtypes::oid[]) with ordinality t(type, i)) as arguments
        from pg_proc p where p.pronamespace = 'sluice'::regnamespace
          and exists (select from aclexplode(p.proacl) a where a.grantee <> p.proowner)
        order by p.proname, p.oid""",
    "relations": """
        select c.relname as name, c.relkind as kind, obj_description(c.oid, 'pg_class') as comment,
          (select json_object_agg(g.role, g.privileges) from (
            select replace(a.grantee::regrole::text, 'sluice_', '') as role,
              string_agg(lower(a.privilege_type), ', ' order by a.privilege_type) as privileges
            from aclexplode(c.relacl) a where a.grantee <> c.relowner group by 1 order by 1) g)
          as roles,
          (select json_agg(json_build_object('name', a.attname,
              'type', format_type(a.atttypid, a.atttypmod), 'required', a.attnotnull,
              'default', pg_get_expr(d.adbin, d.adrelid), 'identity', a.attidentity,
              'comment', col_description(c.oid, a.attnum)) order by a.attnum)
          from pg_attribute a left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
          where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
          (select json_agg(o.conname order by o.conname) from pg_constraint o
          where o.conrelid = c.oid and o.contype = 'c') as constraints
        from pg_class c where c.relnamespace = 'sluice'::regnamespace
          and c.relkind in ('r', 'v', 'S')
          and exists (select from aclexplode(c.relacl) a where a.grantee <> c.relowner)
        order by c.relname""",
    "types": """
        select c.relname as name, obj_description(c.reltype, 'pg_type') as comment,
          (select json_agg(json_build_object('name', a.attname,
              'type', format_type(a.atttypid, a.atttypmod),
              'comment', col_description(c.oid, a.attnum)) order by a.attnum)
          from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped)
          as columns
        from pg_class c where c.relnamespace = 'sluice'::regnamespace and c.relkind = 'c'
          and exists (select from pg_proc p cross join lateral unnest(
              array[p.prorettype] || p.proargtypes::oid[] || coalesce(p.proallargtypes, '{}')) t
            left join pg_type e on e.typarray = t
            where c.reltype in (t, e.oid)
              and exists (select from aclexplode(p.proacl) a where a.grantee <> p.proowner))
        order by c.relname""",
    "roles": """
        select replace(rolname, 'sluice_', '') as name, shobj_description(oid, 'pg_authid')
          as comment
        from pg_roles where rolname like 'sluice\\_%' order by rolname""",
}

LITERAL = r"'(?:''|[^'])*'"
LETTERS_MIN = 8  # of a message that says anything without what varies in it
LEFT_CHARS = 30  # the column of the help in which descriptions begin


def statements_that_raise(text):
    """Each `raise exception … ;` of a file."""
    code = re.sub(r"--[^\n]*", "", text)
    return [match[0] for match in re.finditer(rf"\braise exception\b(?:{LITERAL}|[^';])*;", code)]


def literal_at(text):
    """The text of the literals that `text` begins with, one after the other, with … where it goes
    on with something else; "" if it begins so."""
    match = re.match(rf"\s*((?:{LITERAL}\s*)+)(\|\|)?", text)
    if not match:
        return ""
    return "".join(piece[1:-1].replace("''", "'")
        for piece in re.findall(LITERAL, match[1])) + ("…" if match[2] else "")


def raised_errors(functions):
    """{code: [(message, hint)]} of all SQL below `functions`; what varies is … in a message."""
    errors = {}
    for path in sorted(functions.rglob("*.sql")):
        for statement in statements_that_raise(path.read_text(encoding="utf-8")):
            message = literal_at(statement.removeprefix("raise exception")).replace("%", "…")
            hint = literal_at(re.split(r"\bhint\s*=", statement, maxsplit=1)[-1]
                ) if re.search(r"\bhint\s*=", statement) else ""
            for code in re.findall(r"'(SL\d{3})'", statement):
                known = errors.setdefault(code, [])
                says = len(re.findall("[a-z]", message)) >= LETTERS_MIN
                if says and (message, hint) not in known:
                    known.append((message, hint))
    return errors


def entries(section):
    """[(what stands left, what stands right)] of a section of CLI11's help."""
    found = []
    for line in section.split("\n"):
        if re.match(r" {2}\S", line):
            left, _, right = line.strip().partition("  ")
            if not right and line[LEFT_CHARS - 1:LEFT_CHARS] == " " and not re.match(
                    r"\(|Excludes", line[LEFT_CHARS:]):  # the left part fills its column
                left, right = line[:LEFT_CHARS].strip(), line[LEFT_CHARS:]
            found.append([left, right.strip()])
        elif line.strip() and found:
            found[-1][1] = f"{found[-1][1]} {line.strip()}".strip()
    return found


def without(pattern, texts):
    """(what the pattern's group found in one of the texts or "", the texts without it)."""
    for i, text in enumerate(texts):
        match = re.search(pattern, text)
        if match:
            texts[i] = (text[:match.start()] + text[match.end():]).strip()
            return match[1], texts
    return "", texts


class Option:
    """A flag or a positional argument, of one entry of the help."""

    def __init__(self, left, right):
        self.variable, (left, right) = without(r" ?\(Env:(\w+)\)", [left, right])
        self.excludes, (left, right) = without(r" ?Excludes: ((?:--?[\w-]+ ?|settings ?)+)",
            [left, right])
        left, limits = re.sub(r":INT in \[.*\]", "", left), re.search(r":INT in \[(.*)\]", left)
        self.default, (right, left) = without(r" ?\[([^\[\]]*)\]$", [right, left])
        # CLI11's own form; REF=HOST is one of ours, and no default.
        match = re.match(r"(\S+ [A-Z]+(?::\{.*\})?|\w+ :\{.*\})=([^A-Z\s]\S*)$", left)
        if match and not self.default:
            left, self.default = match[1], match[2]
        choices = re.search(r":\{(.*)\}", left)
        self.shown = re.sub(r" ?:\{.*\}", "", left).replace("|", "/")
        self.meaning = right + (f"; {limits[1].replace(' - ', ' to ')}" if limits else "")
        if choices and not right.startswith(choices[1].partition(",")[0]):
            self.meaning += "; one of " + choices[1].replace(",", ", ")


class Help:
    """The help of one command."""

    def __init__(self, words, text):
        self.words = words
        text = text.partition("\nEvery flag --some-name")[0]
        head, *sections = re.split(r"^(Positionals|Options|Subcommands):\n", text, flags=re.M)
        self.usage = re.search(r"^Usage: (.*(?:\n(?=\S).*)*)", head, re.M)[1].replace("\n", " ")
        self.summary = " ".join(head.partition("Usage:")[0].split())
        found = {title: body.partition("\n\n")[0] for title, body in
            zip(sections[::2], sections[1::2])}
        self.more = "\n".join(line for body in sections[1::2]
            for line in body.partition("\n\n")[2].split("\n") if line.strip())
        self.positionals = [Option(*entry) for entry in entries(found.get("Positionals", ""))]
        self.options = [Option(*entry) for entry in entries(found.get("Options", ""))
            if not entry[0].startswith(("-h,", "--version"))]
        self.below = [name for name, _ in entries(found.get("Subcommands", ""))]


def all_help(help_of):
    """The help of `sluice` and of each command; of psql, whose help is its own, none."""
    found = [Help([], help_of([]))]
    todo = [[name] for name in found[0].below if name not in ("help", "version", "psql")]
    while todo:
        words = todo.pop(0)
        found.append(Help(words, help_of(words)))
        todo = [[*words, name] for name in found[-1].below] + todo
    return found


def exit_codes(header):
    """[(number, meaning)] of src/exit_code.h."""
    return re.findall(r"^  \w+ = (\d+),(?: +// (.*))?$", header.read_text(encoding="utf-8"), re.M)


def facts(source):
    """The words for constraints whose names do not say all, by name."""
    return dict(re.findall(r'\{"(\w+)",\s+"([^"]*)"\}', source.read_text(encoding="utf-8")))


def variables_read(source):
    """Variables that the program asks for by name, wherever."""
    found = set()
    for path in sorted(source.rglob("*.cc")):
        text = path.read_text(encoding="utf-8")
        found.update(re.findall(r'(?:getenv|\bsetting)\("(\w+)"', text))
        found.update(re.findall(r'"(OTEL_\w+|[A-Z_]+_API_KEY)"', text))
    return found
