begin;
\ir ../_helpers.sql
select plan(3);

select given_model() as m, given_model() as n \gset
select given_task(:'m') as t1 \gset
select given_task(:'m') as t2 \gset
select given_task(:'m', priority => 1) as first \gset
select is(sluice.ahead_in_queue(:first, id_of(:'m')), 0, 'the first');
select is(sluice.ahead_in_queue(:t2, id_of(:'m')), 2, 'the last');
select is(sluice.ahead_in_queue(:t2, id_of(:'n')), null, 'it is not there');

select * from finish();
rollback;
