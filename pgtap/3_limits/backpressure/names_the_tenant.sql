begin;
\ir ../../_helpers.sql
select plan(1);

select given_model() as m \gset
insert into sluice.tenants (name, max_unfinished) values (:'m', 1);
select given_task(:'m', tenant => :'m') \g /dev/null
select code, message
from error_of(format('select sluice.refuse(''tenant'', %L, 1, 1, 1, %L)', :'m', at(0))) \gset
select is(:'code'::text || ' ' || :'message',
  format('SL005 tenant "%s" is at its cap: 1 of 1 unfinished', :'m'), 'and its numbers');

select * from finish();
rollback;
