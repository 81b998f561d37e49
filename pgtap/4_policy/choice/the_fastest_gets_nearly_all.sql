-- sluice.choose, sluice.rivals
begin;
\ir ../../_helpers.sql
\ir _speeds.sql
select plan(4);

select given_model() as fast, given_model() as slow \gset
select given_choice('latency', :'fast', :'slow') as r \gset
select given_worker(array[:'fast', :'slow']) as w \gset
select given_speed(:'fast', 0.01), given_speed(:'slow', 0.03) \g /dev/null
select trickled(:'r', :w, 20) \g /dev/null
select is(calls(:'fast', :'slow'), '{20,0}', 'one by one');
select given_tasks(:'r', 400, at(3)), given_speed(:'fast', 0.01, at(2.9)) \g /dev/null
select claimed(:w, 400, at(3)) \g /dev/null
select claimed(:w, 400, at(3.1)) \g /dev/null
select claimed(:w, 400, at(3.2)) \g /dev/null
select is((select sum(n) from unnest(calls(:'fast', :'slow')) n), 420::bigint, 'nothing is left');
select cmp_ok((calls(:'fast', :'slow'))[2], '<=', 21, 'many at once: 5 % at most');
select cmp_ok((calls(:'fast', :'slow'))[2], '>=', 2, 'and some: the fast one has very many');

select * from finish();
rollback;
