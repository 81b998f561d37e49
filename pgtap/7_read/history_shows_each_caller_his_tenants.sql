begin;
\set alone
\ir ../_helpers.sql
\ir ../_history.sql
select plan(11);

select given_model() as m \gset
select given_looks();
select given_end(:'m', 'solved', at(n), p_call_s => n) from generate_series(1, 3) n \g /dev/null
select given_tenant('sluice_reader') as one, given_tenant('sluice_reader') as two \gset
select given_end(:'m', 'solved', at(10 + n), p_call_s => 10, p_tenant => :'one')
from generate_series(1, 2) n \g /dev/null
select given_end(:'m', 'failed', at(20), p_tenant => :'two') \g /dev/null
select sluice.count_ends(at(60)) \g /dev/null

select format('select solved, failed from sluice.history_of(since => at(0), until => at(60),
  model => %L)', :'m') as all_of_model \gset
select results_eq(:'all_of_model', 'values (5::bigint, 1::bigint)', 'an administrator sees all');
set local role :"one";
select results_eq(:'all_of_model', 'values (2::bigint, 0::bigint)', 'a tenant sees its own');
select is((select row(solved, tenant)::text from sluice.history
  where step = 'minute' and at = at(0)), row(2, :'one')::text, 'in the view, too');
select is((select call_p50_s between 9 and 12 from sluice.history_of('minute', at(0), at(60))),
  true, 'its own times');
select is_empty(format('select from sluice.history_of(since => at(0), until => at(60),
  tenant => %L)', :'two'), 'another''s it does not');
select results_eq($$select model, tenant, solved from sluice.history_of('day', at(-86400), at(60),
    by => 'tenant')$$, format('values (null::text, %L::text, 2::bigint)', :'one'),
  'nor among others');
select results_eq('select solved[60] from sluice.sparks(at(60))', 'values (2)',
  'nor in the sparks');
reset role;
select results_eq(format('select solved[60] from sluice.sparks(at(60)) where model = %L', :'m'),
  'values (5)', 'all there');
select is((select sum((r.h).failed) from sluice.history_rows('minute', at(0), at(60), :'m', null,
  'tenant', true, array[:'two']) r), 1::numeric, 'by whom it is asked');
set local role :"two";
select is((select failed from sluice.history_of('hour', at(0), at(60))), 1::bigint,
  'the other has its own');
reset role;
select is((select count(*) from sluice.history_rows('minute', at(0), at(60), null, :'one', 'none',
  true, array[:'two'])), 0::bigint, 'none of a tenant that is not his');

select * from finish();
rollback;
