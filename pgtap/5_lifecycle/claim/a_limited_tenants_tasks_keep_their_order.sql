-- sluice.claim
begin;
\ir ../../_helpers.sql
select plan(5);

-- Eight in the queue, one permit a second; then younger ones come, straight or through the backlog;
-- another asks, too.
select given_model() as m \gset
select given_tenant(rpm => 60) as t \gset
select given_worker(array[:'m']) as w \gset
select array_agg(given_task(:'m', tenant => :'t', p_now => at(n / 100.0)) order by n) as old
from generate_series(1, 8) n \gset
select is(claimed(:w, 4, at(1)), (:'old'::bigint[])[1:1], 'the first one has the permit');
select array_agg(given_task(:'m', tenant => :'t', p_now => at(1.5 + n / 100.0)) order by n) as young
from generate_series(1, 4) n \gset
create temp table served (place serial, task bigint) on commit drop;
create function serve(p_model text, p_worker bigint, p_now timestamptz) returns void language sql
as $$
  insert into served (task) select x from unnest(claimed(p_worker, 4, p_now)) x;
  select sluice.wake(p_now);
  insert into served (task) select x from unnest(claimed(p_worker, 4, p_now)) x;
$$;
select serve(:'m', :w, at(1.5 + n * 0.35)) from generate_series(1, 50) n \g /dev/null
select is((select array_agg(task order by place) from served),
  (:'old'::bigint[])[2:] || :'young'::bigint[],
  'the others in the order in which they came, none passed by a younger one');

-- A youngster of higher priority, and somebody without a quota, wait for nobody.
select array_agg(given_task(:'m', tenant => :'t', p_now => at(100 + n / 100.0)) order by n) as more
from generate_series(1, 6) n \gset
select is(claimed(:w, 4, at(101)), (:'more'::bigint[])[1:1], 'his bucket holds one');
select given_task(:'m', tenant => :'t', priority => 1, p_now => at(101)) as urgent \gset
select given_task(:'m', p_now => at(101)) as other \gset
delete from served;
select serve(:'m', :w, at(101.1)) \g /dev/null
select is((select array_agg(task) from served), array[:other]::bigint[],
  'who has no quota is served at once');
select serve(:'m', :w, at(102.2)) \g /dev/null
select is((select task from served order by place offset 1 limit 1), :urgent::bigint,
  'the next permit is for the more urgent one');

select * from finish();
rollback;
