-- sluice.drop_model
begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
select id_of(:'m') as id \gset
select is((select tgdeferrable and tginitdeferred from pg_trigger
  where tgname = 'after_model_is_gone'), true,
  'the trigger that drops things waits for the commit');
delete from sluice.models where name = :'m';
select has_table('sluice', 'queue_' || :id, 'until then the queue is there');
set constraints all immediate;
select hasnt_table('sluice', 'queue_' || :id, 'and then no longer');
select is((select current_setting('lock_timeout')), '0',
  'the user''s own lock_timeout is left alone');

select * from finish();
rollback;
