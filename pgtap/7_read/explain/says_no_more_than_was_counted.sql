begin;
\ir ../../_helpers.sql
select plan(5);

select is(sluice.ahead_text(0, null), 'first in its queue', 'none');
select is(sluice.ahead_text(311, null), '311 ahead', 'a number');
select is(sluice.ahead_text(311, 40), '311 ahead (about 40 of them by routes)',
  'and what part of it is not certain');
select is(sluice.ahead_text(10000, 0), '10000 ahead', 'up to the bound');
select is(sluice.ahead_text(10001, 5), 'more than 10,000 ahead', 'and beyond');

select * from finish();
rollback;
