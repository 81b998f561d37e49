-- sluice.note_gone
begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
create function lanes_of(p_name text) returns bigint language sql
as $$ select count(*) from sluice.mark where line = own_line(p_name) $$;
select sluice.note_gone(own_line(:'m'), null);
select is(lanes_of(:'m'), 0::bigint, 'nothing is gone');
select given_tasks(:'m', 40) \g /dev/null
select sluice.cancel_all(model => :'m', p_now => at(1)) \g /dev/null
select is(lanes_of(:'m'), 1::bigint, 'many of a lane make it known,');
select is(marked(:'m'), '-infinity', 'with no mark yet');
select given_mark(:'m', at(2));
select given_tasks(:'m', 40, at(3)) \g /dev/null
select sluice.cancel_all(model => :'m', p_now => at(4)) \g /dev/null
select is(marked(:'m'), at(2), 'one that has a mark keeps it');

select * from finish();
rollback;
