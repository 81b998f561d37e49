begin;
\ir ../_helpers.sql
select plan(7);

select given_tenant('sluice_submitter') as a, given_tenant('sluice_submitter') as b \gset
select given_model(max_attempts => 1) as m, given_model(max_attempts => 1) as other \gset
select given_worker(array[:'m', :'other']) as w \gset
select array_agg(sluice.submit('x', case when n < 5 then :'m' else :'other' end, -n,
  case when n = 4 then :'b' else :'a' end, p_now => at(0)) order by n) as ids
from generate_series(1, 6) n \gset
select sluice.register_worker('wide', 100, null, null, at(0)) as w \gset
select claimed(:w, 6, at(1)) \g /dev/null
select completed(:w, told(i.id, 'failed', error => 'request ' || i.n || ' failed',
  error_code => case when i.n = 6 then 'http_400' else 'http_500' end), at(10 + i.n))
from unnest(:'ids'::bigint[]) with ordinality i(id, n) \g /dev/null
set local role :"a";
select results_eq('select model, error_code, message, count, first_at, last_at, sample_id
  from sluice.dead_letter_groups() order by model, error_code', format($$values
    (%1$L, 'http_500', 'request # failed', 3::bigint, at(11), at(13), %3$s::bigint),
    (%2$L, 'http_400', 'request # failed', 1::bigint, at(16), at(16), %5$s::bigint),
    (%2$L, 'http_500', 'request # failed', 1::bigint, at(15), at(15), %4$s::bigint)$$,
  :'m', :'other', (:'ids'::bigint[])[3], (:'ids'::bigint[])[5], (:'ids'::bigint[])[6]),
  'by model, code and message, of his tenants alone');
select is((select sum(count) from sluice.dead_letter_groups(model => :'m')), 3::numeric,
  'of a model');
select is((select sum(count) from sluice.dead_letter_groups(since => at(13))), 3::numeric,
  'since a time');
select is((select sum(count) from sluice.dead_letter_groups(before => (:'ids'::bigint[])[2])),
  1::numeric, 'before an id');
select is((error_of(format('select * from sluice.dead_letter_groups(tenant => %L)', :'b'))).code,
  'SL009', 'of no other tenant');
reset role;
select is((select sum(count) from sluice.dead_letter_groups(tenant => :'b')), 1::numeric,
  'an administrator: of a tenant');
-- failure_groups, merged_groups
select is((sluice.failures_step(:'m', null, null, (:'ids'::bigint[])[4], 2)).looked_at, 2,
  'in steps');

select * from finish();
rollback;
