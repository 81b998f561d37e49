begin;
\ir ../_helpers.sql
select plan(2);

select given_model(max_queue => 1) as m \gset
select ok(not rung(:'m'), 'nobody has rung yet');
select given_task(:'m') \g /dev/null
select ok(rung(:'m'), 'a submit does');

select * from finish();
rollback;
