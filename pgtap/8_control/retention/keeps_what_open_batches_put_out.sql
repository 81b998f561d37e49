begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(4);
-- sluice.retention_start

select given_speaker() as m \gset
select at(0) - (select retention from sluice.settings) as usual \gset
select is(sluice.retention_start(at(0)), :'usual', 'what is older than the retention is too old');
select given_batch(:'m') as b \gset
update sluice.batch set created_at = :'usual'::timestamptz - interval '1 day',
  expires_at = at(0) - interval '1 minute' where id = :b;
select is(sluice.retention_start(at(0)), :'usual'::timestamptz - interval '1 day',
  'but not what an open batch may have to put out, also of a retention that was longer');
update sluice.batch set expires_at = :'usual' where id = :b;
select is(sluice.retention_start(at(0)), :'usual', 'one that does not end is not waited for');
update sluice.batch set expires_at = at(60), phase = 'done', ended_at = at(0) where id = :b;
select is(sluice.retention_start(at(0)), :'usual', 'nor one that has ended');

select * from finish();
rollback;
