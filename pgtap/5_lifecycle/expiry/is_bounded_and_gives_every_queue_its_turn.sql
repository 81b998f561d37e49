begin;
\set alone
\ir ../../_helpers.sql
select plan(7);

create temp table ours on commit drop as select given_model() as m from generate_series(1, 210);
select count(given_task(m, deadline => at(5))) from ours \g /dev/null
select setval('sluice.expired_model',
  1000000000 + (select min(id_of(m)) - 1 from ours)) \g /dev/null
select is(sluice.expire_due(at(6)), 200, 'two hundred lines a round');
select is(sluice.expire_due(at(6)), 10, 'the others in the next');
select m from ours limit 1 \gset
select sluice.submit_many(jsonb_agg(jsonb_build_object('prompt', 'x', 'model', :'m'::text,
  'deadline', at(7))), at(6))
from generate_series(1, 1500) \g /dev/null
create temp table rounds on commit drop as select sluice.expire_due(at(8)) as n
  from generate_series(1, 4);
select is((select max(n) from rounds), 1000, 'a thousand tasks a round');
select is((select sum(n) from rounds), 1500::bigint, 'the rest in later ones');
select is((select count(*) from sluice.queue), 0::bigint, 'none is left');
-- The attack: 60,000 late ones in a few lines took all that a round ends, and their neighbours' few
-- waited a minute.
select sluice.submit_many(jsonb_agg(jsonb_build_object('prompt', 'x', 'model', m, 'deadline',
  at(9))), at(8))
from (select m from ours order by id_of(m) limit 3) o, generate_series(1, 600) \g /dev/null
select given_task((select m from ours order by id_of(m) desc limit 1),
  deadline => at(9)) as few \gset
select setval('sluice.expired_model', 1000000000 + (select max(id_of(m)) - 190
  from ours)) \g /dev/null
select is(sluice.expire_due(at(10)) > 900, true, 'what one line needs not others have');
select is((select status from sluice.tasks where id = :few), 'expired',
  'and whoever has one late task is among them');

select * from finish();
rollback;
