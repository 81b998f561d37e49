begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
select sluice.register_worker('now', 7, p_now => clock_timestamp()) as w \gset
select sluice.register_worker('gone', 7, p_now => clock_timestamp() - interval '16 s') as gone \gset
select given_task(:'m') \g /dev/null
select claimed(:w, 1) \g /dev/null
select results_eq(format('select name, slots, alive, in_flight from sluice.workers '
                         'where id in (%s, %s) order by name', :w, :gone),
  $$values ('gone'::text, 7, false, 0::bigint), ('now', 7, true, 1)$$,
    'a time-out makes the difference');
update sluice.worker set dead_at = now() where id = :w;
select is((select alive from sluice.workers where id = :w), false,
  'the dead are not alive, however fresh');

select * from finish();
rollback;
