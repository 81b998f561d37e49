begin;
\ir ../../_helpers.sql
select plan(3);

select given_model(rpm => 60) as m, given_model() as closed \gset
update sluice.models set max_unfinished = 10 where name in (:'m', :'closed');
update sluice.models set closed_until = at(100) where name = :'closed';
select given_route(:'closed', :'m') as r \gset
select code, message, hint
from error_of(format('select sluice.refuse(''route'', %L, 1, null, 0.95, %L)', :'r', at(0))) \gset
select is(:'code'::text || ' ' || :'message',
  format('SL003 route "%s" is full, for all its models are: "%s" has 0 of 10 unfinished', :'r',
    :'m'), 'the one that is open');
select matches(:'hint'::text,
  '^Try again in about \d+ s\.$', 'and says how long to wait: ' || :'hint');
update sluice.models set paused = true where name = :'m';
select matches((error_of(format('select sluice.refuse(''route'', %L, 1, null, 0.95, %L)', :'r',
  at(0)))).message, '"' || :'closed' || '" has 0 of 10', 'which a paused one is not');

select * from finish();
rollback;
