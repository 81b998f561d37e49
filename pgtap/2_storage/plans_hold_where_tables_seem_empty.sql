-- The attack: tables whose statistics say that they are empty, for they were vacuumed between two
-- floods. A join by id then went through all of an index for each row: beside 100,000 tasks a claim
-- took 0.5 s, a list 9 s, a look of the history minutes.
begin;
\set alone
\ir ../_helpers.sql
select plan(10);

select given_model() as m \gset
insert into sluice.routes (route, model) values ('r', :'m');
select given_worker(array[:'m']) as w, given_tenant() as t \gset
select sluice.submit_many(jsonb_agg(jsonb_build_object('prompt', 'x', 'model', 'r', 'tenant', :'t',
  'priority', n % 3)), at(1))
from generate_series(1, 30000) n group by n % 3 \g /dev/null
-- ended: p_count of them are called and end.
create function ended(p_worker bigint, p_count int, p_kind text) returns void language plpgsql
as $$
begin
  perform count(*) from sluice.claim(p_worker, null, p_count, at(2));
  perform sluice.complete(p_worker, array(
    select row(l.task_id, l.fence, p_kind, 'x', 'x', 'x', null, 200, null, 1, 1, null)
      ::sluice.outcome from sluice.lease l), at(2));
end
$$;
select ended(:w, 1000, case n % 2 when 0 then 'failed' else 'solved' end)
from generate_series(1, 5) n \g /dev/null
select seem_empty() \g /dev/null
discard plans;

create function took(p_sql text) returns interval language plpgsql
as $$
declare
  v_started timestamptz := clock_timestamp();
begin
  execute p_sql;
  return clock_timestamp() - v_started;
end
$$;
select cmp_ok(took(v.sql), '<', interval '1 s', v.sql)
from (values
  (format('select count(*) from sluice.claim(%s, null, 500, at(3))', :w)),
  ('select count(*) from sluice.list_tasks(1)'),
  ('select count(*) from sluice.export_tasks(0, sluice.export_range(0))'),
  ('select count(*) from sluice.newest_ids(''failed'', 1000)'),
  ('select count(*) from sluice.recent_ends(p_now => at(3))'),
  ('select sluice.count_ends(at(4))'),
  ('select sluice.sweep(at(4))'),
  (format('select sluice.start_job(''redrive'', ''{"tenant": "%s"}'', p_now => at(4))', :'t')),
  ('select sluice.advance_jobs(at(4))'),
  (format('select sluice.forget_all(tenant => %L, p_now => at(5))', :'t'))) v(sql);

select * from finish();
rollback;
