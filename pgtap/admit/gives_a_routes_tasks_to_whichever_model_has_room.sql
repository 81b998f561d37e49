begin;
\ir ../_helpers.sql
select plan(4);

-- Nobody serves them, so a full one is limited and its share goes to the other.
select given_model(max_queue => 64) as a \gset
select given_model(max_queue => 64) as b \gset
select given_route(:'a', :'b') as r \gset
select sluice.set_counter('room', id_of(m), 64) from unnest(array[:'a', :'b']) m \g /dev/null
update sluice.routes set weight = 9 where route = :'r' and model = :'a';
select given_tasks(:'r', 100) \g /dev/null
select is(sluice.admit(:'a', null, at(1)), 100, 'one round deals to both');
select is(sluice.depth(id_of(:'a'), 100), 64, 'one takes what it can');
select is(sluice.depth(id_of(:'b'), 100), 36, 'the other the rest');
select is_empty(format('select * from sluice.backlog where route = %L', :'r'), 'none waits');

select * from finish();
rollback;
