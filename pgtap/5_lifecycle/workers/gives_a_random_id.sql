begin;
\ir ../../_helpers.sql
select plan(4);

create temp table w on commit drop as
select sluice.register_worker('w', 4, array['a', 'b'], '1.2', at(0)) as id
from generate_series(1, 200);
select is((select count(distinct id) from w), 200::bigint, 'no two alike');
select ok((select bool_and(id >= 0) and max(id) > 2 ^ 60 and count(distinct id >> 55) > 20 from w),
  '63 random bits');
select results_eq('select distinct name, slots, models, version, registered_at, seen, beating_since,
  dead_at from sluice.worker
  where id in (select id from w)',
  $$values ('w'::text, 4, array['a', 'b'], '1.2'::text, at(0), at(0), at(0), null::timestamptz)$$,
    'what it said of itself');
select throws_ok($$select sluice.register_worker('w', 0)$$, '23514', null,
  'a worker without slots is refused');

select * from finish();
rollback;
