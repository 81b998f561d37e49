-- sluice.validate_batch
begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(3);

select given_speaker() as m \gset
select given_batch(:'m') as most, given_batch(:'m') as more \gset
update sluice.file set lines = sluice.batch_lines_max() where id = (batch_row(:most)).input_file;
update sluice.file set lines = sluice.batch_lines_max() + 1
where id = (batch_row(:more)).input_file;
select is(advanced(:most, 'submit'), 'submit', 'so many are fine');
select is(advanced(:more, 'submit'), 'done', 'one more is not');
select is((batch_row(:more)).errors #>> '{0,code}', 'too_many_tasks', 'which it says');

select * from finish();
rollback;
