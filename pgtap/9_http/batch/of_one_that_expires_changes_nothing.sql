begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(2);

select given_speaker() as m \gset
select given_batch(:'m', 1) as b \gset
select advanced(:b, 'run') \g /dev/null
select advanced(:b, 'write', at(86400)) \g /dev/null
select is(sluice.cancel_batch(:b, null, false, at(86400)) ->> 'status', 'in_progress',
  'it ends anyway');
select advanced(:b, 'done', at(86401)) \g /dev/null
select is(sluice.show_batch(:b, null, false) ->> 'status', 'expired', 'as it was about to');

select * from finish();
rollback;
