begin;
\ir ../../_helpers.sql
select plan(7);

create function metadata(p_pairs int, p_key int default 2, p_value int default 1) returns jsonb
  language sql
as $$ select jsonb_object_agg(lpad(n::text, p_key, 'ü'), repeat('ü', p_value))
  from generate_series(1, p_pairs) n $$;
select lives_ok(format('select sluice.check_batch_metadata(%L)', metadata(16, 64, 512)),
  'the most');
select lives_ok($$select sluice.check_batch_metadata('{}')$$, 'the least');
select lives_ok($$select sluice.check_batch_metadata(null),
  sluice.check_batch_metadata('null')$$, 'none');
select throws_ok(format('select sluice.check_batch_metadata(%L)', metadata(17)), 'SL004', null,
  'too many');
select throws_ok(format('select sluice.check_batch_metadata(%L)', metadata(1, 65)), 'SL004', null,
  'too long a key');
select throws_ok(format('select sluice.check_batch_metadata(%L)', metadata(1, 2, 513)), 'SL004',
  null, 'too long a value');
select is_empty($$select e
  from unnest(array['{"a": 1}', '{"a": null}', '{"a": {}}', '[]', '["a"]', '"a"', '1', 'false']) e
  where (error_of(format('select sluice.check_batch_metadata(%L)',
    e))).code is distinct from 'SL004'$$, 'strings only');

select * from finish();
rollback;
