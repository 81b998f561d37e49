begin;
\ir ../_helpers.sql
select plan(5);

select given_model() as m \gset
select id_of(:'m') as id \gset
select given_mark(:'m') as lane \gset
select sluice.ring(:id);
set constraints all immediate;
delete from sluice.models where name = :'m';
select is_empty(format($$select relname from pg_class where relname ~ '^(queue|bucket|room|claimed|ended)_%s$'
  and relnamespace = 'sluice'::regnamespace$$,
  :id), 'no table, no sequence');
select is_empty(format('select * from sluice.lane where line = %L', 'queue_' || :id), 'no lane');
select hasnt_function('sluice', 'take_' || :id, 'no function');
select is_empty(format('select from sluice.rung where line = %s', :id), 'no note that it may have work');
select hasnt_sequence('sluice', 'mark_' || :lane, 'no mark');

select * from finish();
rollback;
