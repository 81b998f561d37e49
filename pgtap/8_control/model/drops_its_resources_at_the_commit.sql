-- sluice.after_model_is_gone
begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
select id_of(:'m') as id \gset
delete from sluice.models where name = :'m';
select isnt(to_regclass('sluice.queue_' || :id), null, 'not before');
set constraints all immediate;
select is(to_regclass('sluice.queue_' || :id), null, 'its queue');
select is_empty(format($$select from pg_class where relnamespace = 'sluice'::regnamespace
  and relkind = 'S'
  and relname ~ '_%s$'$$, :id), 'and its sequences');

select * from finish();
rollback;
