-- sluice.note_health
begin;
\ir ../../_helpers.sql
select plan(2);

select given_model(max_attempts => 50) as a \gset
select given_model(max_attempts => 50) as b \gset
select given_worker() as w \gset
select given_tasks(:'a', 6) as ia \gset
select given_tasks(:'b', 6) as ib \gset
select claimed(:w, 12, at(1)) \g /dev/null
create function batch(p_ids bigint[], p_kinds text) returns sluice.outcome[] language sql
as $$ select array_agg(told(p_ids[n], case substr(p_kinds, n, 1) when 's' then 'solved'
  else 'retry' end) order by n)
      from generate_series(1, length(p_kinds)) n $$;
select sluice.complete(:w, batch(:'ia', 'rrrrrs') || batch(:'ib', 'srrrrr'), at(2)) \g /dev/null
select is((select state from sluice.breaker where model = id_of(:'a')), 'closed',
  'five failures, then a success');
select is((select state from sluice.breaker where model = id_of(:'b')), 'open',
  'a success, then five failures');

select * from finish();
rollback;
