begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(1);

select given_file(array[E'a\nb\n'], p_now => at(0.5)) as f \gset
select is(sluice.file_object(f)::jsonb,
  jsonb_build_object('id', 'file-' || :f, 'object', 'file', 'bytes', 4,
  'created_at', sluice.unix_time(at(0)), 'expires_at', sluice.unix_time(at(0) + interval '30 days'),
    'filename', 'requests.jsonl',
  'purpose', 'batch', 'status', 'processed', 'status_details', null), 'all of them')
from sluice.file f where id = :f;

select * from finish();
rollback;
