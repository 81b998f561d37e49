-- sluice.chosen_calls, sluice.strength
begin;
\ir ../../_helpers.sql
\ir _speeds.sql
select plan(3);

select given_model() as a, given_model() as b \gset
select given_choice('latency', :'a', :'b') as r \gset
select given_worker(array[:'a', :'b']) as w \gset
select given_speed(:'a', 0.01), given_speed(:'b', 0.01) \g /dev/null
select given_tasks(:'a', 10, at(1)) \g /dev/null
select claimed(:w, 10, at(1)) \g /dev/null
select trickled(:'r', :w, 10) \g /dev/null
select is(calls(:'a', :'b'), '{10,10}', 'who has less to do gets it');
select given_speed(:'a', 0.01, at(2)), given_speed(:'b', 0.01, at(2)) \g /dev/null
select trickled(:'r', :w, 20, 2) \g /dev/null
select is(calls(:'a', :'b'), '{20,20}', 'then in turns');
select is(sluice.chosen_calls(row(1, 0.01, 20, 1, 1)::sluice.rival,
  array[row(2, 0.01, 20, 1, 1)::sluice.rival], 'latency', 10), 5,
  'of many waiting each takes half');

select * from finish();
rollback;
