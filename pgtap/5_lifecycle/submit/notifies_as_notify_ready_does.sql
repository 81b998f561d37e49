-- twin: notify_ready
begin;
\ir ../../_helpers.sql
select plan(4);

create function state(p_line int) returns text language sql
as $$ select shares_lock_of_line(p_line) || ' ' || (select count(*) from sluice.ready_line
  where line = p_line) $$;
select given_model() as called, given_model() as submitted, given_route(given_model()) as r \gset
select is(state(id_of(:'submitted')), state(id_of(:'called')), 'before');
select sluice.notify_ready(id_of(:'called')), given_task(:'submitted'),
  given_task(:'r') \g /dev/null
select is(array[state(id_of(:'submitted')), state(own_line(:'r'))],
  array_fill(state(id_of(:'called')), array[2]), 'an idle line');
select sluice.notify_ready(id_of(:'called')), given_task(:'submitted'),
  given_task(:'r') \g /dev/null
select is(array[state(id_of(:'submitted')), state(own_line(:'r'))],
  array_fill(state(id_of(:'called')), array[2]), 'one that is noted');
delete from sluice.ready_line where line in (id_of(:'called'), id_of(:'submitted'), own_line(:'r'));
select sluice.notify_ready(id_of(:'called')), given_task(:'submitted'),
  given_task(:'r') \g /dev/null
select is(array[state(id_of(:'submitted')), state(own_line(:'r'))],
  array_fill(state(id_of(:'called')), array[2]), 'and idle again');

select * from finish();
rollback;
