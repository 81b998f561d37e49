begin;
\ir ../_helpers.sql
select plan(4);

select given_model(max_queue => 4) as a \gset
select given_model(max_queue => 8) as b \gset
select given_tasks(m, 20) from unnest(array[:'a', :'b']) m \g /dev/null
select array(select sluice.submit_many(jsonb_agg(jsonb_build_object('prompt', 'p', 'model', m, 'priority', p) order by n), at(1))
             from (values (1, :'a', 1), (2, :'b', 0), (3, :'a', 2), (4, :'b', 3), (5, :'b', 1), (6, :'b', 1)) t(n, m, p)) as ids \gset
create function place_of(p_ids bigint[], n int) returns text language sql as $$ select places(p_ids[n]) $$;
select is(place_of(:'ids', 1) || ', ' || place_of(:'ids', 3), 'queue, backlog', 'one fits: the first');
select is(place_of(:'ids', 2), 'backlog', 'who is not urgent waits');
select is(place_of(:'ids', 4) || ', ' || place_of(:'ids', 5), 'queue, queue', 'each model has its own room');
select is(place_of(:'ids', 6), 'backlog', 'and no more');

select * from finish();
rollback;
