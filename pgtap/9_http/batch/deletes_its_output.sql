begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(8);

select given_speaker('anthropic-messages') as m \gset
select message_batch(:'m', 2, 't') as b \gset
select throws_ok(format('select sluice.delete_batch(%s, ''t'', true)', :b), 'SL004', null,
  'when it has ended');
select advanced(:b, 'run') \g /dev/null
select given_end(t) from unnest(tasks_of_batch(:b)) t \g /dev/null
select advanced(:b, 'done', at(2)) \g /dev/null
select array_agg(f) as files from sluice.batch b, unnest(array[b.input_file, b.output_file]) f
where b.id = :b \gset
select is((select count(*) from sluice.file where id = any (:'files')), 2::bigint,
  'two files are its own');
select is(sluice.delete_batch(:b, 'u', true), false, 'not another one''s');
select is(sluice.delete_batch(:b, 't', false), false, 'not as what it is not');
select is(sluice.delete_batch(:b, 't', true), true, 'one''s own');
select is_empty(format('select from sluice.file where id = any (%L)', :'files'), 'they go with it');
select is(sluice.show_batch(:b, 't', true)::jsonb, null, 'it is gone');
select is(sluice.delete_batch(:b, 't', true), false, 'once');

select * from finish();
rollback;
