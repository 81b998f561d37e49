begin;
\ir ../_helpers.sql
select plan(10);

select given_model() as a \gset
select given_model() as b \gset
select given_route(:'a', :'b') as r \gset
select given_worker(array[:'a', :'b']) as w \gset
update sluice.routes set weight = 0 where route = :'r' and model = :'b';
select given_tasks(:'r', 5, at(0)), given_tasks(:'a', 5, at(0)) \g /dev/null
update sluice.routes set weight = 1 where route = :'r';
select given_lanes('route_' || :'r', 0) \g /dev/null
select sluice.set_mark(id, at(9)) from sluice.lane where line = 'route_' || :'r' \g /dev/null
select is(sluice.depth(id_of(:'a'), 100), 10, 'ten wait for one model');
select sluice.close_model(:'a', at(11));
select is(sluice.reroute(id_of(:'a'), at(10)), 0, 'a second is no reason to leave');
select sluice.close_model(:'a', at(100));
select ok((sluice.look(id_of(:'a'), at(10))).work, 'who looks sees that there is something to do');
select is(sluice.admit(:'a', null, at(10)), 0, 'admission sends them back');
select ok(rung(:'b'), 'and wakes who serves the other model');
select is(sluice.admit(:'b', null, at(10)), 5, 'which gets them');
select is(cardinality(claimed(:w, 100, at(10))), 5, 'and starts them');
select is(sluice.depth(id_of(:'a'), 100), 5, 'what names the closed model stays with it');
select ok(not (sluice.look(id_of(:'a'), at(11))).work, 'and that is not looked at again at once');
update sluice.models set paused = true where name = :'b';
select is_empty(format('select sluice.reroutable(model_row(%L), at(10))', :'a'), 'nothing leaves when no other model is open');

select * from finish();
rollback;
