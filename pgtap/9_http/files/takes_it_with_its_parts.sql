begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(4);

select given_file(array['x'], 't') as f \gset
select is(sluice.delete_file(:f, 'u'), false, 'not another one''s');
select is(sluice.delete_file(:f, 't'), true, 'one''s own');
select is_empty(format('select from sluice.file_part where file = %s', :f), 'no part is left');
select is(sluice.delete_file(:f, 't'), false, 'once');

select * from finish();
rollback;
