-- What schemas of before the first release had and no later one has, which went in steps until now:
-- the backlog, where tasks waited until they were put into queues, what was beside it, and older
-- names.
do $$
declare
  v_statement text;
begin
  if to_regclass('sluice.backlog') is null then
    return;
  elsif exists (select from sluice.backlog) then
    raise 'tasks wait in sluice.backlog, as they did before the first release'
      using errcode = '55000',
      hint = 'Let workers of that version finish them, or begin with an empty database.';
  end if;
  -- then it was the room of a queue; now it is a bound
  update sluice.models set max_queue = null where max_queue is not null;
  update sluice.ready_line set line = model where line is null;
  for v_statement in
    select format('drop %s sluice.%I', case relkind when 'S' then 'sequence' else 'index' end,
      relname) from pg_class
    where relnamespace = 'sluice'::regnamespace and (relkind = 'S'
      and relname ~ '^(mark|paced|paced_at|room|tended)_[0-9]+$'
      or relkind = 'i' and relname ~ '^queue_[0-9]+_rank_ready_at_task_id_idx$')
  loop
    execute v_statement;
  end loop;
end
$$;
drop view if exists sluice.rung;
drop table if exists sluice.lane, sluice.backlog;
alter table sluice.ready_line drop column if exists model, alter column line set not null;
drop type if exists sluice.aim, sluice.new_task, sluice.lane_head, sluice.waiting_task,
  sluice.route_share, sluice.queue_room, sluice.arrival, sluice.candidate;

-- What a claim returns has how large its request is.
do $$
begin
  alter type sluice.claimed_task add attribute request_bytes int;
exception when duplicate_column then null;  -- the functions' files added it once
end
$$;

-- The gauges of the system and of models without a bound of their own go by the ids of tasks now:
-- what they hold means nothing any more.
select setval('sluice.load_all', 1000000000000000);
select setval(('sluice.load_' || id)::regclass, 1000000000000000) from sluice.models
where max_unfinished is null;
