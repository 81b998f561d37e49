begin;
\set alone
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
create function later(p_model text, p_from int, p_to int) returns void language sql
as $$ insert
  into sluice.later (task_id, ready_at, model, request_bytes, fence, rank, attempts, tenant)
      select n, at(n / 1000.0), id_of(p_model), 1, 0, 0, 0, 'default'
      from generate_series(p_from, p_to) n $$;
delete from sluice.mark where line = 0;
select later(:'m', 1, 10) \g /dev/null
select is(sluice.first_due(at(1000)), at(0.001), 'the first of all');
select is(sluice.mark_of(0, 0::smallint, 0), '-infinity', 'a short look leaves no mark');
-- As another transaction's are: each is visited, and none is seen.
select later(:'m', 11, 60000) \g /dev/null
delete from sluice.later where task_id < 60000;
select is(sluice.first_due(at(1000)), at(60), 'behind those that are not to be had');
select is(sluice.mark_of(0, 0::smallint, 0), at(60), 'the next look begins there');

select * from finish();
rollback;
