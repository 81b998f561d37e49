begin;
\set alone
\ir ../../_helpers.sql
select plan(4);

insert into sluice.spent (account, at, tokens) values (-1000000, at(0), 1), (-1000000, at(200), 2),
  (-1000000, at(400), 3);
select setval('sluice.spent_until', 0) \g /dev/null
select sluice.clean_spent(at(450));
select is((select array_agg(tokens order by at) from sluice.spent where account = -1000000),
  array[2, 3]::bigint[], 'five minutes');
select is(sluice.from_micros(pg_sequence_last_value('sluice.spent_until'::regclass)), at(150),
  'it remembers where it ended');
select sluice.clean_spent(at(550));
select is((select array_agg(tokens order by at) from sluice.spent where account = -1000000),
  array[3]::bigint[], 'and goes on from there');
select sluice.clean_spent(at(100));
select is(sluice.from_micros(pg_sequence_last_value('sluice.spent_until'::regclass)), at(-200),
  'a clock set back is followed');

select * from finish();
rollback;
