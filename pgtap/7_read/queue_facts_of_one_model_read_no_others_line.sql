-- sluice.queue_facts_of, sluice.routed_shares
begin;
\ir ../_helpers.sql
select plan(2);

select given_model() as m \gset
select given_model() as other \gset
select given_tasks(:'m', 3) \g /dev/null
-- Whoever reads the other's line now fails.
select format('alter table sluice.%I rename to was_there', sluice.place_of(id_of(:'other')))
\gexec
select throws_ok('select from sluice.queues', '42P01', null, 'all rows read all lines');
select is((select depth from sluice.queues where model = :'m'), 3, 'one row reads its own');

select * from finish();
rollback;
