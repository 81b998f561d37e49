begin;
\ir ../../_helpers.sql
select plan(2);

select is((select count(*) from regexp_matches(sluice.skip_text('select 1'),
  'from sluice\.queue_%1\$s', 'g')), 3::bigint,
  'three probes a step: up to the mark, of its rank, from the mark on');
select matches(sluice.skip_text('select of marks'),
  'lateral \(select of marks\) m', 'and a look for the next mark');

select * from finish();
rollback;
