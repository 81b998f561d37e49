begin;
\ir ../../_helpers.sql
select plan(3);

select given_model(max_attempts => 5) as m \gset
select given_task(:'m', max_attempts => 2) as a, given_task(:'m') as b \gset
select is(sluice.attempts_max(:a, id_of(:'m')), 2, 'the task''s, if it has one');
select is(sluice.attempts_max(:b, id_of(:'m')), 5, 'else the model''s');
select is(sluice.attempts_max(0, 0), 1, 'and one, if neither is known');

select * from finish();
rollback;
