begin;
\ir ../_helpers.sql
select plan(4);

select given_model() as a, given_model() as b \gset
update sluice.models set max_unfinished = 100 where name in (:'a', :'b');
select given_route(:'a', :'b') as r \gset
update sluice.routes set weight = 1e9 where route = :'r' and model = :'a';
select lives_ok(format('select given_tasks(%L, 120)', :'r'), 'drawn for one model, room in two');
select is((select count(*) from sluice.queue where model = id_of(:'a')), 0::bigint,
  'the model that lacks room is given none of them');
select is((select count(*) from sluice.backlog where route = :'r'), 120::bigint, 'they wait for either');
select is((error_of(format('select given_tasks(%L, 101)', :'r'))).code, 'SL003',
  'more than the other can hold is refused');

select * from finish();
rollback;
