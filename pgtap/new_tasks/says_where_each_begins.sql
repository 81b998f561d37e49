begin;
\ir ../_helpers.sql
select plan(2);

select given_model() as m \gset
create temp table new on commit drop as
select n.* from unnest(sluice.new_tasks(array(
  select sluice.draft_of(jsonb_populate_record(null::sluice.draft,
    jsonb_build_object('prompt', repeat('p', n), 'model', :'m', 'priority', n, 'run_at', case n when 3 then at(9) end)))
  from generate_series(1, 3) n), '{11,12,13}', at(0))) n;
select results_eq('select task_id, ready_at, request_bytes, rank::int, due from new',
  $$values (11::bigint, at(0), 1, -1, true), (12, at(0), 2, -2, true), (13, at(9), 3, -3, false)$$, 'a row for each');
select is(array(select distinct line from new), array[id_of(:'m')], 'for its line');

select * from finish();
rollback;
