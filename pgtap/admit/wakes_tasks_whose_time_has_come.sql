begin;
\ir ../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_task(:'m', run_at => at(10)) as t \gset
select is(sluice.admit(:'m', null, at(9)), 0, 'not before');
select is(sluice.admit(:'m', null, at(10)), 1, 'at its time');
select is(places(:t), 'queue', 'it is queued');

select * from finish();
rollback;
