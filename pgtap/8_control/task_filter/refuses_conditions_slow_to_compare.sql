begin;
\ir ../../_helpers.sql
select plan(10);

create function fault(p_metadata jsonb) returns text language sql
as $$ select message from error_of(format('select sluice.check_condition(%L)', p_metadata)) $$;
select is(fault('{"team": "search", "n": 1.5, "by": {"name": null, "is": true}}'), null,
  'everyday ones');
select is(fault(null), null, 'none');
select is(fault('["a"]'), 'metadata is a JSON array, not an object', 'no object');
select is(fault('{"a": 1, "by": {"tags": ["a"]}}'), 'metadata has an array',
  'an array, however deep');
select is(fault(jsonb_build_object('a', repeat('x', 1015))), null, 'all of 1 KiB');
select is(fault(jsonb_build_object('a', repeat('x', 1016))),
  'metadata has more than 1024 bytes', 'more');
select is(fault((select jsonb_object_agg(n::text, n) from generate_series(1, 85) n)), null,
  'as many keys as fit into that');
-- Of the conditions the audit keeps a copy.
select is((error_of(format('select sluice.%s(metadata => ''{"a": 1e131071}'')', f))).code, 'SL004',
  f || ' takes none that is long as text')
from unnest(array['cancel_all', 'redrive_all', 'forget_all']) f;

select * from finish();
rollback;
