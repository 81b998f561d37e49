begin;
\ir ../_helpers.sql
select plan(4);

select given_model() as m \gset
select given_route(:'m') as r \gset
select given_task(:'r') \g /dev/null
select ok(rung(:'m'), 'nobody falls asleep on the bell before the submit has ended');
select is((select count(*) from sluice.rung where line = id_of(:'m')), 1::bigint, 'the model is noted');
select given_task(:'r') \g /dev/null
select is((select count(*) from sluice.rung where line = id_of(:'m')), 1::bigint, 'once');
delete from sluice.rung where line = id_of(:'m');
select given_task(:'r') \g /dev/null
select is((select count(*) from sluice.rung where line = id_of(:'m')), 1::bigint, 'again when the note is gone');

select * from finish();
rollback;
