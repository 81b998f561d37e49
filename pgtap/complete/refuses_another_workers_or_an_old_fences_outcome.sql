begin;
\ir ../_helpers.sql
select plan(4);

select given_model() as m \gset
select given_worker() as w \gset
select given_worker() as other \gset
select given_task(:'m') as t \gset
select claimed(:w, 1) \g /dev/null
select is(completed(:other, told(:t, 'solved')), false, 'not this worker''s');
select is(completed(:w, told(:t, 'solved', 2)), false, 'not this fence''s');
select is(completed(:w, told(:t, 'solved', null)), false, 'no fence at all');
select is(places(:t), 'lease', 'the call is still under way');

select * from finish();
rollback;
