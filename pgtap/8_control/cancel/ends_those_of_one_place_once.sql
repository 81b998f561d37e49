begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
select given_worker(array[:'m']) as w \gset
select given_tasks(:'m', 2) as ids \gset
select claimed(:w, 1) \g /dev/null
select is(sluice.cancel_in_place('lease', :'ids', at(2)), 2::bigint,
  'a call is to be aborted; whoever moved meanwhile is ended');
select is(sluice.cancel_in_place('lease', (:'ids'::bigint[])[:1], at(3)), 0::bigint, 'once');
select is(sluice.cancel_in_place('queue_' || id_of(:'m'), :'ids', at(4)), 0::bigint,
  'none is in the line');
select is(sluice.cancel_in_place('lease', '{}', at(5)), 0::bigint, 'none is none');

select * from finish();
rollback;
