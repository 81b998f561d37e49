begin;
\ir ../../_helpers.sql
select plan(2);

select matches(sluice.probe_text('q.rank = 1'), 'where q.rank = 1 order by .* limit 1',
  'of those of which that is so');
select matches(sluice.probe_text('tenant_key = 5'), 'hashtextextended\(q.tenant, 0\) >> 1\) = 5',
  'the key written out, as in the index');

select * from finish();
rollback;
