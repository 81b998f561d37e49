begin;
\ir ../_helpers.sql
select plan(3);

select given_model() as m \gset
select array(select nextval('sluice.task_id') from generate_series(1, 3)) as ids \gset
create temp table stored on commit drop as
select n.* from unnest(sluice.store_drafts(array(
  select sluice.draft_of(jsonb_populate_record(null::sluice.draft,
    jsonb_build_object('prompt', repeat('p', n), 'model', :'m', 'priority', n, 'run_at', case n when 3 then at(9) end)))
  from generate_series(1, 3) n), :'ids', (:'ids'::bigint[])[1:1] || 7::bigint || (:'ids'::bigint[])[3:3], at(0))) n;
select results_eq('select task_id, ready_at, request_bytes, rank::int, due from stored',
  format('select unnest(%L::bigint[]), unnest(array[at(0), at(9)]), unnest(array[1, 3]), unnest(array[-1, -3]), unnest(array[true, false])',
    array[(:'ids'::bigint[])[1], (:'ids'::bigint[])[3]]), 'a row for each that keeps its id');
select is_empty(format('select from sluice.task where id = %s', (:'ids'::bigint[])[2]), 'the other one is not stored');
select results_eq(format('select prompt from sluice.task where id = any (%L) order by id', :'ids'), array['p', 'ppp'], 'these are');

select * from finish();
rollback;
