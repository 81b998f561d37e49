-- sluice.refuse_excess
begin;
\ir ../../_helpers.sql
select plan(5);

select given_model() as m, given_model() as n \gset
select 'tenant ' || :'m' as t \gset
insert into sluice.tenants (name, max_priority, models) values (:'t', 5, array[:'m']);
select code, message
from error_of(format('select given_task(%L, 6, tenant => %L)', :'m', :'t')) \gset
select is(:'code' || ' ' || :'message',
  format('SL004 priority 6 is above 5, the highest for tenant "%s"', :'t'), 'a priority');
select code, message, hint
from error_of(format('select given_task(%L, 5, tenant => %L)', :'n', :'t')) \gset
select is(:'code' || ' ' || :'message',
  format('SL009 tenant "%s" may not use "%s"', :'t', :'n'), 'a model');
select matches(:'hint'::text, format('^It may use %s\. See sluice.tenants.models', :'m'),
  :'hint'::text);
select is((error_of(format('select * from sluice.submit_many(%L)', jsonb_build_array(
  jsonb_build_object('prompt', 'q', 'model', :'m', 'tenant', :'t'),
  jsonb_build_object('prompt', 'q', 'model', :'m', 'tenant', :'t', 'priority', 6))))).message,
  format('task 2: priority 6 is above 5, the highest for tenant "%s"', :'t'), 'and which of many');
select lives_ok(format('select given_task(%L, 5, tenant => %L)', :'m', :'t'), 'what it may it may');

select * from finish();
rollback;
