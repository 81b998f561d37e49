begin;
\ir ../../_helpers.sql
select plan(5);

select given_model() as m, given_model() as n \gset
select sluice.cancel(id, at(1))
from unnest(given_tasks(:'m', 25) || given_tasks(:'n', 5)) id \g /dev/null
create or replace function sluice.forget_step()
returns int language sql immutable as $$ select 10 $$;
select sluice.task_filter_of(:'m', null, null, null, null, null) as f,
  sluice.task_filter_of(:'n', null, null, null, null, null) as g \gset
select done as d1, next as n1 from sluice.bulk_part('forget', :'f', null, '-infinity', at(2)) \gset
select is(:d1, 10, 'no more than a step');
select done as other from sluice.bulk_part('forget', :'g', null, 'infinity', at(2)) \gset
select is(:other, 5, 'another''s meanwhile');
select done as d2, next as n2
from sluice.bulk_part('forget', :'f', :'n1', '-infinity', at(2)) \gset
select is(:d2, 10, 'another one');
select done as d3, next is null as is_over
from sluice.bulk_part('forget', :'f', :'n2', 'infinity', at(2)) \gset
select is(:d3, 5, 'the rest');
select ok(:'is_over', 'then it is over');

select * from finish();
rollback;
