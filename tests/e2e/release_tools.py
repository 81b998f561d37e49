"""What clients of one release may call and read in the database, and whether a schema still offers
it.

previous_release.jsonl is that of the last release. To write it anew for its binary:
    scripts/private_postgres --no-fsync bash -euc '$(scripts/previous_release) migrate
      cd tests/e2e; /usr/bin/python3 release_tools.py "$DATABASE_URL" > previous_release.jsonl'
"""
import contextlib
import json
import pathlib
import sys

import psycopg2

LIST = pathlib.Path(__file__).with_name("previous_release.jsonl")
ROLES = {"w": "sluice_worker", "s": "sluice_submitter", "r": "sluice_reader", "a": "sluice_admin"}
# Its rows are made by place, so that it may not even grow.
TYPES_BY_PLACE = ["outcome"]

# Functions that take any type are left out: how they are called depends on the caller's.
FUNCTIONS = """
    select p.proname, r.roles, p.pronargs - p.pronargdefaults as required,
      array(select format_type(t, null) from unnest(p.proargtypes) with ordinality a(t, n)
        order by a.n) as types,
      p.proargnames[:p.pronargs] as names
    from pg_proc p cross join lateral (
      select string_agg(o.letter, '' order by o.n) as roles
      from unnest(%(letters)s, %(roles)s) with ordinality o(letter, role, n)
      where has_function_privilege(o.role, p.oid, 'execute')) r
    where p.pronamespace = 'sluice'::regnamespace and p.prokind = 'f' and r.roles is not null
      and not exists (select from unnest(p.proargtypes) a join pg_type t on t.oid = a
        where t.typtype = 'p')
    order by p.proname, types"""
RELATIONS = """
    select c.relname, r.roles from pg_class c cross join lateral (
      select string_agg(o.letter, '' order by o.n) as roles
      from unnest(%(letters)s, %(roles)s) with ordinality o(letter, role, n)
      where has_table_privilege(o.role, c.oid, 'select')) r
    where c.relnamespace = 'sluice'::regnamespace and c.relkind in ('r', 'v', 'p')
      and not c.relispartition and r.roles is not null
    order by c.relname"""


def session(url):
    """One in which all types have to be called by their full names."""
    return contextlib.closing(psycopg2.connect(url, options="-c search_path=pg_catalog"))


def columns_of(cursor, sql):
    """Names and types of what a query would give; it is not run."""
    cursor.execute(f"{sql} limit 0")
    columns = [(column.name, column.type_code) for column in cursor.description]
    cursor.execute("select array(select format_type(t, null) from unnest(%s::oid[]) "
        "with ordinality o(t, n) order by o.n)", [[code for _, code in columns]])
    return [[name, kind] for (name, _), kind in zip(columns, cursor.fetchone()[0])]


def call(name, types):
    return f"select * from sluice.{name}({', '.join(f'null::{kind}' for kind in types)})"


def offered(url):
    """Everything that clients may call or read: a list of objects."""
    with session(url) as connection, connection.cursor() as cursor:
        every = {"letters": list(ROLES), "roles": list(ROLES.values())}
        cursor.execute(FUNCTIONS, every)
        functions = cursor.fetchall()
        cursor.execute(RELATIONS, every)
        relations = cursor.fetchall()
        return [
            *({"function": name, "roles": roles, "types": types, "names": names,
                "required": required, "columns": columns_of(cursor, call(name, types))}
                for name, roles, required, types, names in functions),
            *({"relation": name, "roles": roles,
                "columns": columns_of(cursor, f"select * from sluice.{name}")}
                for name, roles in relations),
            *({"type": name,
                "columns": columns_of(cursor, f"select (null::sluice.{name}).*")}
                for name in TYPES_BY_PLACE)]


def queries(entry):
    """Ways in which a client may have asked. The time is the last argument, also of more than there
    were: who gives it, names it."""
    if "relation" in entry:
        names = ", ".join(f'"{name}"' for name, _ in entry["columns"])
        return [f"select {names} from sluice.{entry['relation']}"]
    name, types, names = entry["function"], entry["types"], entry["names"]
    has_clock = bool(names) and names[-1] == "p_now"
    placed = max(entry["required"], len(types) - has_clock)
    ways = [call(name, types[:count]) for count in {entry["required"], placed}]
    if names and all(names) and types:
        named = [f"{name} => null::{kind}" for name, kind in zip(names, types)]
        ways.append(f"select * from sluice.{name}({', '.join(named)})")
    return ways


def missing(url, wanted):
    """What of `wanted`, a list as `offered` gives, is not there any more: lines of text."""
    lines = []
    with session(url) as connection, connection.cursor() as cursor:
        for entry in wanted:
            if "type" in entry:
                found = columns_of(cursor, f"select (null::sluice.{entry['type']}).*")
                if found != entry["columns"]:
                    lines.append(f"type {entry['type']} has other columns: {found}")
                continue
            for role in entry["roles"]:
                for sql in queries(entry):
                    try:
                        cursor.execute(f"set local role {ROLES[role]}")
                        found = columns_of(cursor, sql)
                    except psycopg2.Error as error:
                        lines.append(f"{ROLES[role]}: {sql}: {error.pgerror}")
                        found = entry["columns"]
                    connection.rollback()
                    lines += [f"{sql}: column {column} is gone, or of another type"
                        for column in entry["columns"] if column not in found]
    return lines


def listed():
    return [json.loads(line) for line in LIST.read_text(encoding="utf-8").splitlines()]


if __name__ == "__main__":
    for each in offered(sys.argv[1]):
        print(json.dumps(each))
