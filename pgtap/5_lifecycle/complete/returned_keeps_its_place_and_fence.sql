-- sluice.complete
begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_worker() as w \gset
select given_tasks(:'m', 3) as ids \gset
select (:'ids'::bigint[])[1] as t \gset
select claimed(:w, 1) \g /dev/null
select given_mark(:'m', at(1));
select completed(:w, told(:t, 'returned')) \g /dev/null
select results_eq(format('select ready_at, fence, attempts::int from sluice.queue '
                         'where task_id = %s', :t),
  'values (at(0), 1, 0)', 'where it was, as it was');
select cmp_ok(marked(:'m'), '<=', at(0), 'the mark does not hide it');
select is((claimed(:w, 1))[1], :t::bigint, 'it is the first again');

select * from finish();
rollback;
