\set alone
begin;
\ir ../../_helpers.sql
select plan(6);

create function hedged(p_worker bigint, p_tasks bigint[]) returns int language sql
as $$ select count(*) filter (where sluice.hedge(p_worker, t, 1, at(2)))::int
  from unnest(p_tasks) t $$;

select setval('sluice.hedge_calls', 1), setval('sluice.hedge_used', 1000) \g /dev/null
select given_model() as quiet, given_model() as slow, given_model() as plain \gset
update sluice.models set hedge_after = '1 second' where name in (:'quiet', :'slow');
select given_worker() as w1, given_worker() as w2 \gset
select given_tasks(:'plain', 100) \g /dev/null
select claimed(:w1, 100) \g /dev/null
select is(sluice.hedge_calls_left(), 0::bigint, 'calls of a model without hedge_after add nothing');
select given_tasks(:'slow', 20) as tasks \gset
select claimed(:w1, 20) \g /dev/null
select is(hedged(:w1, :'tasks'), 2, '8 % of 22 calls: 1 is under it, 2 are not');
select given_tasks(:'quiet', 80) as others \gset
select claimed(:w2, 80) \g /dev/null
select is(hedged(:w1, :'tasks'), 7,
  '8 % of 109, that another model''s calls on another worker have filled');
select is(hedged(:w2, :'others'), 0, 'what one used the other has no more');
update sluice.models set hedge_budget = 0.5 where name = :'quiet';
select is(hedged(:w2, :'others'), 0, 'nor if its own share is larger');
select setval('sluice.hedge_calls', 1, false), setval('sluice.hedge_used', 1, false) \g /dev/null
select is(hedged(:w1, :'tasks'), 0, 'after a crash nothing is saved up');

select * from finish();
rollback;
