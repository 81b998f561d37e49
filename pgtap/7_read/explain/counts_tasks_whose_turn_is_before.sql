begin;
\ir ../../_helpers.sql
\ir ../../4_policy/fair_share/_fair_turns.sql
select plan(5);

select given_model() as m \gset
select waits(:'m', 'a', 10), waits(:'m', 'b', 3), waits(:'m', 'c', 4, p_rank => -1),
  waits(:'m', 'd', 9, p_rank => 1) \g /dev/null
create function ahead(p_tenant text, p_nth int) returns int language sql
as $$ select (sluice.tasks_ahead((select task_id from sluice.queue
  where model = id_of(current_setting('my.model')) and tenant = p_tenant
        order by ready_at offset p_nth - 1
          limit 1), id_of(current_setting('my.model')), at(1))).tasks $$;
select set_config('my.model', :'m', true) \g /dev/null
select is(ahead('c', 1), 0, 'the highest priority');
select is(ahead('a', 1), 4, 'behind those of higher priority');
select is(ahead('b', 3), 8, 'beside each of its own one of the other''s');
select is(ahead('a', 10), 16, 'as far as there are');
select is(ahead('d', 1), 17, 'the lowest behind all');

select * from finish();
rollback;
