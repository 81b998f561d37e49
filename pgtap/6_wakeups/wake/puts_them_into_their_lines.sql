begin;
\ir ../../_helpers.sql
select plan(5);

select given_model() as m \gset
select given_route(:'m') as r \gset
select given_mark(:'m', at(50)) \g /dev/null
select sluice.put_back(array[row(1, at(5), null, id_of(:'m'), 1, 3, -2, 1, null, 'default'),
  row(2, at(6), null, null, 1, 0, 0, 0, :'r', 'default'),
  row(3, at(7), null, id_of(:'m'), 1, 0, 0, 0, null, 'default')]::sluice.later[], null);
select is(queued(:'m') || queued(:'r'), '{1,3,2}'::bigint[], 'each into its own');
select is((select (fence, ready_at, attempts::int) from sluice.queue where task_id = 1),
  row(3, at(5), 1), 'as they were');
select is(marked(:'m'), at(7), 'no mark hides them');
select ok(shares_lock(:'m') and shares_lock_of_line(own_line(:'r')),
  'and both lines'' sleepers are notified');
create or replace function sluice.try_make_route_line(p_route text, p_api text, p_version text,
  p_model int default null) returns int language sql as $$ select null::int $$;
select sluice.put_back(array[row(4, at(5), at(9), null, 1, 3, -2, 1, 'x', 'default')]
  ::sluice.later[], at(6)) \g /dev/null
select is((select l from sluice.later l where task_id = 4),
  row(4, at(7), at(9), null, 1, 3, -2, 1, 'x', 'default')::sluice.later,
  'or, if there is none, for a second back to those that wait for their time');

select * from finish();
rollback;
