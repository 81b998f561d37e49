-- sluice.before_row_changes
begin;
\ir ../_helpers.sql
select plan(19);

select given_model() as m \gset

-- said: all that PostgreSQL tells of the error of p_sql.
create function said(p_sql text, out code text, out in_column text, out rule text, out message text,
  out hint text, out detail text) language plpgsql
as $$
begin
  execute p_sql;
exception when others then
  get stacked diagnostics code = returned_sqlstate, in_column = column_name, rule = constraint_name,
    message = message_text, hint = pg_exception_hint, detail = pg_exception_detail;
end
$$;

select unnest(array[is(format('%s %s', s.code, s.in_column), 'SL004 secret',
    'a secret, no reference: ' || q),
  matches(s.message, 'env:NAME or file:/path', 'what it is instead'),
  ok(s::text !~ 'hush', 'it is not told')])
from (values (format('update sluice.models set secret = ''sk-hush'' where name = %L', :'m')),
  (format('update sluice.models set secret = ''sk-hush'', rpm = 0 where name = %L', :'m')),
  ('insert into sluice.models (name, url, secret) values (''x'', ''http://h'', ''sk-hush'')')) o(q)
  cross join lateral said(q) s;
select unnest(array[is(format('%s %s %s', s.code, s.rule, s.detail),
    '23514 rpm_is_between_1_and_6_million ', 'another rule is the constraint''s'),
  matches(s.hint, '6000000.*Given: rpm = 0\.$', 'it is told, with its value')])
from said(format('update sluice.models set rpm = 0 where name = %L', :'m')) s;
select is(substring(s.hint from 'Given.*'), u.given, 'of a url: ' || u.url)
from (values ('foo', 'Given: url = foo.'), ('localhost:8000/v1', 'Given: url = localhost:8000/v1.'),
  ('', 'Given: url = .'),
  -- what may hold a credential
  ('user:hush@host', null), ('host?key=hush', null),
  ('sk-0123456789abcdefghij', null)) u(url, given)
  cross join lateral said(format('update sluice.models set url = %L where name = %L', u.url,
    :'m')) s;
select is(format('%s %s', s.code, s.detail), '23514 ', 'also in ' || q)
from (values ('insert into sluice.tenants (name, weight) values (''x'', 0)'),
  ('update sluice.settings set trace_url = ''https://hush''')) o(q) cross join lateral said(q) s;

select * from finish();
rollback;
