begin;
\ir ../../_helpers.sql
select plan(3);

set local timezone = 'UTC';
select is(sluice.deadline_text(null, at(1)), '', 'nothing without one');
select is(sluice.deadline_text(at(60), at(1)), ', deadline 00:01:00', 'when');
select is(sluice.deadline_text(at(1), at(1)), ', past its deadline: it ends as expired',
  'too late');

select * from finish();
rollback;
