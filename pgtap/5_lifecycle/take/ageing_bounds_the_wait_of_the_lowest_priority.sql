-- sluice.take_turns
begin;
\ir ../../_helpers.sql
select plan(2);

-- A step is 1 s. In every second 20 tasks of priority 100 come and 20 are done: for ever too much
-- for the lowest.
select given_model() as m \gset
select given_worker(array[:'m']) as w \gset
update sluice.settings set ageing = '1 s';
select given_tasks(:'m', 20, at(0), 100) \g /dev/null
select given_task(:'m', priority => -100, p_now => at(0), tenant => 'lowest') as lowest \gset
create function seconds_until_claimed(p_model text, p_worker bigint, p_task bigint,
  p_most int) returns int language plpgsql
as $$
begin
  for v_second in 1 .. p_most loop
    perform given_tasks(p_model, 20, at(v_second), 100);
    if p_task = any (claimed(p_worker, 20, at(v_second + 0.6))) then
      return v_second;
    end if;
    perform sluice.complete(p_worker,
      array(select told(l.task_id, 'solved') from sluice.lease l where l.worker = p_worker),
  at(v_second + 0.9));
  end loop;
end
$$;
select seconds_until_claimed(:'m', :w, :lowest, 230) as seconds \gset
select cmp_ok(:seconds, '>', 150, 'priorities are strict');
select cmp_ok(:seconds, '<=', 203, 'but after 200 steps it shares with the highest');

select * from finish();
rollback;
