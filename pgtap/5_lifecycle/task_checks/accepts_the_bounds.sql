begin;
\ir ../../_helpers.sql
select plan(3);

select lives_ok(format('select sluice.check_task(%s, null, at(1), 1000, at(0))', args), args)
from (values ($$'x', null, 100, 100, 1, '{}', 't', 'k'$$),
  ($$'y', null, -100, 1, null, null, repeat('t', 200), null$$),
  ($$null, '{"a": 1}', 0, null, null, null, 'ä', repeat('k', 1000)$$)) v(args);

select * from finish();
rollback;
