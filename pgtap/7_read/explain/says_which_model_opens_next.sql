begin;
\ir ../../_helpers.sql
select plan(5);

set local timezone = 'UTC';
select given_model() as a, given_model() as b \gset
select given_route(:'a', :'b') as r \gset
update sluice.models set paused = true where name = :'a';
update sluice.models set closed_until = at(60) where name = :'b';
select is(sluice.route_text(:'r', null, at(0)),
  format('none of its models is open; %s will be at 00:01:00', :'b'), 'none, and until when');
update sluice.models set closed_until = 'infinity' where name = :'b';
select is(sluice.route_text(:'r', null, at(0)), 'none of its models is open',
  'none, until somebody opens one');
update sluice.models set closed_until = null where name = :'b';
select sluice.move_breaker(id_of(:'b'), 'closed', 'open', 'down', at(0)) \g /dev/null
select is(sluice.route_text(:'r', null, at(1)),
  format('none of its models is open; %s will be at 00:00:30', :'b'), 'a breaker is open');
select is(sluice.route_text(:'r', 'openai-chat', at(1)),
  'none of its models that speak openai-chat has a weight', 'none that understands it');
update sluice.routes set weight = 0 where route = :'r';
select is(sluice.route_text(:'r', null, at(0)), 'none of its models has a weight',
  'a weight of 0 takes nothing');

select * from finish();
rollback;
