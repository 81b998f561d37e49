-- sluice.budget_changes
begin;
\ir ../_helpers.sql
select plan(4);

create function changes(p_values jsonb) returns jsonb language sql
as $$ select sluice.budget_changes(p_values, '{name,limit_nanos}') $$;
select is(changes('{"limit": 0.000001, "name": "b"}'), '{"limit_nanos": 1000, "name": "b"}',
  'exact');
select is(changes('{"limit_nanos": 5}'), '{"limit_nanos": 5}', 'nano-units as they are');
select is(array(select (error_of(format('select changes(%L)', v))).code
  from unnest('{"{\"limit\": \"x\"}", "{\"limit\": -1}", "{\"limit\": 1e-10}", "{\"limit\": 1e300}",
    "{\"limit\": null}", "{\"limit\": 1, \"limit_nanos\": 1}"}'::text[]) v),
  array_fill('SL004'::text, '{6}'), 'what is none is refused');
select is((error_of($$select changes('{"limits": 1}')$$)).message, 'unknown key "limits"',
  'and other keys');

select * from finish();
rollback;
