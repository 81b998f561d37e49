-- sluice.history_of_keys, sluice.shown_key_name
begin;
\set alone
\ir ../_helpers.sql
\ir ../_history.sql
select plan(17);

select given_model() as m \gset
select given_looks();
select given_tenant('sluice_reader') as one, given_tenant('sluice_reader') as two \gset
insert into sluice.api_key (id, sha256, name, tenant, scopes, created_at)
values ('00000000000000aa', sha256('a'), 'search', :'one', '{submit}', at(0)),
  ('00000000000000bb', sha256('b'), '=nightly', null, '{submit}', at(0));
update sluice.models set input_price = 1000000, output_price = 0 where name = :'m';
select s.id from sluice.submit_each(
  array_fill(format('{"prompt": "q", "model": "%s"}', :'m'), array[4]),
  array[:'one', :'one', :'two', :'one'], array_fill(null::text, array[4]), null,
  array['00000000000000aa', '00000000000000aa', '00000000000000bb', null], at(1)) s \g /dev/null
select given_worker(array[:'m'], at(1)) as w \gset
select claimed(:w, 4, at(2)) as ids \gset
select count(*) from sluice.complete(:w, array(select told(i, 'solved', input_tokens => 2,
  output_tokens => 0)
  from unnest(:'ids'::bigint[]) i), at(4)) \g /dev/null
select sluice.count_ends(at(60)) \g /dev/null
update sluice.api_key set revoked_at = at(9) where name = 'search';

select results_eq($$select key, key_name, solved, cost from
    sluice.history_of_keys('day', at(-86400), at(60))$$,
  $$values ('00000000000000aa', 'search', 2::bigint, 4::numeric),
    ('00000000000000bb', '=nightly', 1, 2), (null, null, 1, 2)$$,
  'each key has its own, also when it is revoked; the rest came without one');
select is((select sum(cost) from sluice.history_of('day', at(-86400), at(60))), 8::numeric,
  'together it is all');
select results_eq(format($$select key, solved from
    sluice.history_of_keys('hour', at(0), at(60), tenant => %L)$$, :'one'),
  $$values ('00000000000000aa', 2::bigint), (null, 1)$$, 'of one tenant');
select is((select count(*) from sluice.history_of_keys('hour', at(0), at(60), 'nobody''s')),
  0::bigint, 'of one model');
select is((select count(*) from sluice.history_of_keys('day', p_now => at(60))), 3::bigint,
  'the last 30 days');
select results_eq($$select key, sum(solved), min(at) from sluice.history_of_keys('hour', at(0),
    at(60)) group by key order by key$$,
  $$select key, solved::numeric, at from sluice.history_of_keys('all', at(0), at(60))
    order by key$$, 'one row each for the whole time');
select is((error_of($$select sluice.history_of_keys('minute')$$)).code, 'SL004',
  'by key there are no minutes');
insert into sluice.key_history_row (step, at, api_key, model, tenant)
select 'hour', at(3600 * n), 'x', 'x', 't' from generate_series(1, sluice.history_rows_max() + 1) n;
select is((error_of($$select sluice.history_of_keys('hour', at(0), at(3600 * 9999), 'x',
  't')$$)).message, 'that is more than 5000 rows', 'it is bounded');
delete from sluice.key_history_row where api_key = 'x';

select is(sluice.history_page('day', '2039-12-31', '2040-01-02', null, null, 'key', 'json')::jsonb
  #>> '{data,0,key_name}', 'search', 'as JSON');
select matches(sluice.history_page('day', '2039-12-31', '2040-01-02', null, null, 'key', 'csv'),
  E'^at,key,key_name,solved.*\r\n"2040-01-01[^\r]*"''=nightly",', 'as CSV, without formulas');
select matches(sluice.history_page('day', '2000-01-01', '2000-01-02', null, null, 'key', 'csv'),
  '^at,key,[a-z_,]+$', 'without rows it has its columns');
select is((select array_agg(distinct key order by key) from sluice.key_history),
  '{00000000000000aa,00000000000000bb}', 'the view has keys alone');
select is((select key_name from sluice.key_history where step = 'day' and tenant = :'two'),
  '=nightly', 'with their names');

set local role :"one";
select is((select array_agg(distinct key) from sluice.key_history),
  '{00000000000000aa}', 'a tenant sees what is his');
select is(sluice.shown_key_name('00000000000000aa', :'one'), 'search', 'with its name');
reset role;
set local role :"two";
select is((select array_agg(key || coalesce(key_name, '')) from sluice.key_history
  where step = 'day'), '{00000000000000bb}', 'he sees no name of a key that is not his');
select is(sluice.shown_key_name('00000000000000aa', :'one'), null::text, 'of whomever he says');
reset role;

select * from finish();
rollback;
