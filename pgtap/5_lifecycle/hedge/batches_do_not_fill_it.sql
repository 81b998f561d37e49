-- sluice.count_hedgeable
\set alone
begin;
\ir ../../_helpers.sql
select plan(3);

-- counted: by how much p_count tasks of a priority fill it when they are claimed.
create function counted(p_model text, p_count int, p_priority int default 0) returns int
  language plpgsql
as $$
declare
  v_before bigint := sluice.hedge_calls_left();
begin
  perform given_tasks(p_model, p_count, priority => p_priority),
    claimed(given_worker(array[p_model]), p_count);
  return (sluice.hedge_calls_left() - v_before) / 1000;
end
$$;

select setval('sluice.hedge_calls', 1), setval('sluice.hedge_used', 1000) \g /dev/null
select given_model() as m \gset
update sluice.models set hedge_after = '1 second' where name = :'m';
select is(counted(:'m', 5), 5, 'each call counts');
update sluice.models set batch_max = 20 where name = :'m';
select is(counted(:'m', 5), 0, 'those that go in a batch do not');
select is(counted(:'m', 3, 10), 3, 'urgent ones go alone');

select * from finish();
rollback;
