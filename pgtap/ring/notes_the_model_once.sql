begin;
\ir ../_helpers.sql
select plan(2);

select given_model() as m \gset
select is_empty(format('select from sluice.rung where line = %s', id_of(:'m')), 'a new model is quiet');
select sluice.ring(id_of(:'m')), sluice.ring(id_of(:'m')) \g /dev/null
select is((select count(*) from sluice.rung where line = id_of(:'m')), 1::bigint, 'rung twice, noted once');

select * from finish();
rollback;
