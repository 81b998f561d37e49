-- sluice.before_fallback_changes, sluice.configure_fallbacks
begin;
\ir ../_helpers.sql
select plan(14);

select given_model() as a, given_model() as b \gset
select given_route(:'a') as r \gset
select has_trigger('sluice', 'fallbacks', 'before_fallback_changes', 'there is a trigger');
select throws_ok(format($$insert into sluice.fallbacks values ('nobody', 'over_budget', %L)$$,
  :'b'), 'SL001', null, 'of nobody');
select throws_ok(format($$insert into sluice.fallbacks values (%L, 'over_budget', 'nobody')$$,
  :'a'), '23503', null, 'to nobody');
select throws_ok(format($$insert into sluice.fallbacks values (%1$L, 'over_budget', %1$L)$$, :'a'),
  '23514', null, 'to itself');
select throws_ok(format($$insert into sluice.fallbacks values (%L, 'boredom', %L)$$, :'a', :'b'),
  '23514', null, 'for no cause');
select sluice.configure_fallbacks(:'a', jsonb_build_object('context_too_long', :'b',
  'over_budget', :'b')), sluice.configure_fallbacks(:'r', jsonb_build_object('breaker_open', :'b'))
\g /dev/null
select sluice.configure_fallbacks(:'a', jsonb_build_object('content_refused', :'b',
  'over_budget', :'b')) \g /dev/null
select bag_eq($$select target, cause from sluice.fallbacks$$, format($$values
  (%1$L, 'content_refused'), (%1$L, 'over_budget'), (%2$L, 'breaker_open')$$, :'a', :'r'),
  'exactly these');
select throws_ok(format('select sluice.configure_fallbacks(%L, %L)', :'a', v), s, null, v)
from (values ('[]', 'SL004'), ('{"over_budget": 1}', 'SL004'),
  ('{"over_budget": "nobody"}', 'SL001')) o(v, s);
select sluice.configure_fallbacks(:'r', '{}') \g /dev/null
select is((select count(*) from sluice.fallbacks where target = :'r'), 0::bigint, 'or none');

update sluice.models set name = name || '-new' where name = :'b';
update sluice.models set name = name || '-new' where name = :'a';
select results_eq('select target, cause, to_model from sluice.fallbacks order by 1, 2',
  format($$values (%1$L, 'content_refused', %2$L), (%1$L, 'over_budget', %2$L)$$, :'a' || '-new',
    :'b' || '-new'), 'renamed with its models');
insert into sluice.fallbacks values (:'r', 'over_budget', :'b' || '-new');
update sluice.routes set route = route || '-new' where route = :'r';
set constraints all immediate;
select is((select target from sluice.fallbacks where target like :'r' || '%'), :'r' || '-new',
  'and with its route');
delete from sluice.routes where route = :'r' || '-new';
select is((select count(*) from sluice.fallbacks where target like :'r' || '%'), 0::bigint,
  'gone with it');
delete from sluice.models where name = :'b' || '-new';
select is((select count(*) from sluice.fallbacks), 0::bigint, 'and with the model');

select * from finish();
rollback;
