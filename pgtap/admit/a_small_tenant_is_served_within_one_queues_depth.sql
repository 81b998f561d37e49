begin;
\ir ../_helpers.sql
\ir ../fair_turns/_helpers.sql
select plan(3);

-- As long as each other. One has 100,000 waiting and the queue full of its own; then another comes with ten.
select given_model(max_queue => 64) as m \gset
select given_worker(array[:'m']) as w \gset
select waits(:'m', 'big', 100000, 8) \g /dev/null
insert into sluice.task (id, model, tenant, priority, created_at, prompt)
select task_id, model, tenant, 0, at(0), 'question' from sluice.backlog where model = id_of(:'m');
select sluice.admit(:'m', null, at(101)) \g /dev/null
select is(sluice.depth(id_of(:'m'), 100), 64, 'the queue is full of the big one''s');
select array_agg(given_task(:'m', tenant => 'small', p_now => at(102))) as small from generate_series(1, 10) \gset
-- served_until: how many are served until the last of p_tasks is.
create function served_until(p_model text, p_worker bigint, p_tasks bigint[]) returns int language plpgsql
as $$
declare
  v_left bigint[] := p_tasks;
  v_ids bigint[];
  v_served int := 0;
begin
  for v_round in 1 .. 100 loop
    perform sluice.admit(p_model, null, at(102 + v_round * 0.1));
    v_ids := claimed(p_worker, 4, at(102.05 + v_round * 0.1));
    v_served := v_served + cardinality(v_ids);
    perform sluice.complete(p_worker, array(select told(x, 'solved') from unnest(v_ids) x), at(102.08 + v_round * 0.1));
    v_left := array(select unnest(v_left) except select unnest(v_ids));
    exit when v_left = '{}';
  end loop;
  return case when v_left = '{}' then v_served end;
end
$$;
select served_until(:'m', :w, :'small') as served \gset
select cmp_ok(:served, '>', 64, 'what stands in the queue goes first');
select cmp_ok(:served, '<=', 64 + 2 * 10 + 4, 'then the ten have every second turn: no more than the queue is before them');

select * from finish();
rollback;
