-- sluice.drop_model
begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
select id_of(:'m') as id \gset
select given_mark(:'m', at(0)), sluice.notify_ready(:id) \g /dev/null
set constraints all immediate;
delete from sluice.models where name = :'m';
select is_empty(format($$select relname from pg_class
  where relname ~ '^(queue|bucket|waits|load|claimed|ended)_%s$'
  and relnamespace = 'sluice'::regnamespace$$,
  :id), 'no table, no sequence');
select is_empty(format('select from sluice.mark where line = %s', :id), 'no mark');
select hasnt_function('sluice', 'take_' || :id, 'no function');
select is_empty(format('select from sluice.ready_line where line = %s', :id),
  'no note that it may have work');

select * from finish();
rollback;
