begin;
\ir ../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_worker() as w \gset
select given_mark(:'m', 0) as lane \gset
select given_tasks(:'m', 10, at(0)) \g /dev/null
select claimed(:w, 5, at(10)) \g /dev/null
select is(sluice.mark(:lane), at(0) - interval '1 microsecond', 'never past a row taken in an open transaction');
select claimed(:w, 5, at(10)) \g /dev/null
select claimed(:w, 5, at(10)) \g /dev/null
select is(sluice.mark(:lane), at(10) - sluice.mark_lag(), 'an empty lane: never closer to now than the lag');
select given_task(:'m', p_now => at(9.8)) as t \gset
select is(claimed(:w, 5, at(10.1)), array[:t]::bigint[], 'so a submit that took 200 ms to commit is found');

select * from finish();
rollback;
