-- sluice.route_choices
begin;
\ir ../_helpers.sql
\ir ../4_policy/choice/_speeds.sql
select plan(2);

select given_model() as a, given_model() as b, given_model() as spare \gset
select given_choice('latency', :'a', :'b', :'spare') as r \gset
update sluice.routes set tier = 2 where route = :'r' and model = :'spare';
select given_worker(array[:'a', :'b', :'spare'], at(1)) as w \gset
select given_speed(:'spare', 0.01, at(1)) \g /dev/null
select is((select array_agg(c.share order by array_position(array[:'a', :'b', :'spare'], c.model))
  from sluice.route_choices(:'r', at(1)) c), '{0.5,0.5,0}',
  'a later one whose speed is known takes nothing from those of which nothing is');
select sluice.pause(:'a'), sluice.pause(:'b') \g /dev/null
select is((select array_agg(c.share order by array_position(array[:'a', :'b', :'spare'], c.model))
  from sluice.route_choices(:'r', at(1)) c), '{0,0,1}', 'but all while they cannot be called');

select * from finish();
rollback;
