begin;
\ir ../_helpers.sql
select plan(2);

select given_model() as m \gset
select is(sluice.oldest_ready(id_of(:'m')), null, 'nobody waits');
select given_task(:'m', 5, at(9)), given_task(:'m', -5, at(3)) \g /dev/null
select is(sluice.oldest_ready(id_of(:'m')), at(3), 'of all priorities');

select * from finish();
rollback;
