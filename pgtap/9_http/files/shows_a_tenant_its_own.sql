begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(3);

select given_file(array['x'], 't') as f \gset
select is(sluice.show_file(:f, 't')::jsonb,
  (select sluice.file_object(f)::jsonb from sluice.file f where id = :f), 'his');
select is(sluice.show_file(:f, null)::jsonb ->> 'id', 'file-' || :f, 'to who may see all');
select is(sluice.show_file(:f, 'u')::jsonb, null, 'to nobody else');

select * from finish();
rollback;
