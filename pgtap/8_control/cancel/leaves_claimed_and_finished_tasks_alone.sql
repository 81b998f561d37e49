begin;
\ir ../../_helpers.sql
select plan(7);

select given_model() as m \gset
select given_worker() as w \gset
select given_task(:'m') as t \gset
select claimed(:w, 1) \g /dev/null
select is(sluice.cancel(:t), 'processing', 'a worker has it');
select is(completed(:w, told(:t, 'solved')), true, 'whose result holds');
select is(sluice.cancel(:t), 'solved', 'then its final status is the answer');
select is(places(:t), 'solved', 'nothing changed');
select given_task(:'m') as c \gset
select sluice.cancel(:c) \g /dev/null
select is(sluice.cancel(:c), 'cancelled', 'to cancel twice is no error');
select code, hint from error_of('select sluice.cancel(-1)') \gset
select is(:'code'::text, 'SL006', 'an unknown task is SL006');
select isnt(:'hint'::text, '', 'with a hint');

select * from finish();
rollback;
