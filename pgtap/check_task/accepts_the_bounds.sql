begin;
\ir ../_helpers.sql
select plan(3);

select lives_ok(format('select sluice.check_task(%s, null, 1000)', args), args)
from (values ($$'x', null, 100, 100, 1, '{}', 't', 'k'$$), ($$'', null, -100, 1, null, null, repeat('t', 200), null$$),
  ($$null, '{"a": 1}', 0, null, null, null, 'ä', repeat('k', 1000)$$)) v(args);

select * from finish();
rollback;
