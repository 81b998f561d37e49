begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
select given_worker() as w \gset
select given_task(:'m', prompt => 'x') from generate_series(1, 1000) \g /dev/null
select cmp_ok((select count(*) from sluice.claim(:w, null, 1000, at(1)) where api is not null), '<',
  350::bigint, 'tiny bodies count with what surrounds them');
select is_empty('select * from sluice.leased_tasks(null, sluice.answer_bounds(null))',
  'no leases, no rows');

select * from finish();
rollback;
