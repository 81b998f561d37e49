-- sluice.note_ask, sluice.own_meter
-- A route whose tasks come in rushes of 30 gave its canary of 1 % every second rush whole: it may
-- be 32 tasks ahead, and after each pause of a second it was forgotten that it was.
begin;
\ir ../../_helpers.sql
\ir _served.sql
select plan(2);

-- rush: 30 tasks for a route, claimed and answered at once by a worker.
create function rush(p_worker bigint, p_route text, p_at timestamptz) returns void
language plpgsql
as $$
begin
  perform given_tasks(p_route, 30, p_at);
  while exists (select from sluice.task t left join sluice.result r on r.task_id = t.id
      where t.route = p_route and r.task_id is null) loop
    perform taken(p_worker, p_at, 50);
  end loop;
end
$$;

select given_model() as a, given_model() as b \gset
select given_route(:'a', :'b') as r, given_worker(array[:'a', :'b']) as w \gset
update sluice.routes set weight = case model when :'a' then 99 else 1 end where route = :'r';
select rush(:w, :'r', at(10 + 3 * n)) from generate_series(1, 20) n \g /dev/null
select count(*) as before from sluice.result where model = :'b' \gset
select cmp_ok(:before, '<=', 40, 'of 600 tasks its share, and the slack');
select rush(:w, :'r', at(200 + 3 * n)) from generate_series(1, 40) n \g /dev/null
select cmp_ok((select abs(count(*) - :before - 12) from sluice.result where model = :'b'), '<=',
  2::bigint, 'of 1,200 more its share');

select * from finish();
rollback;
