begin;
\ir ../../_helpers.sql
select plan(6);

create function spent() returns table (n bigint, tokens numeric) language sql
as $$ select count(*), sum(tokens) from sluice.spent where account = -1000001 $$;
insert into sluice.spent (account, at, tokens) select -1000001, at(n / 100.0),
  case when n % 2 = 0 then 100 else -40 end
from generate_series(0, 499) n;
select sluice.merge_spent(-1000001, at(5)) \g /dev/null
select is((select n from spent()), 500::bigint, 'not for 500 rows');
insert into sluice.spent (account, at, tokens) values (-1000001, at(5), 7);
select sluice.merge_spent(-1000001, at(5)) \g /dev/null
select is((select count(*) from sluice.spent where account = -1000001 and at > at(4)), 100::bigint,
  'of more, those that are a second old');
select is((select tokens from spent()), 250 * 60 + 7::numeric, 'nothing is lost');
select cmp_ok((select n from spent()), '<=', 118::bigint, 'four rows a second remain');
select is_empty('select from sluice.spent where account = -1000001 and tokens < 0 and at < at(4)',
  'no refund outlives its charge');
select cmp_ok(sluice.tokens_free_at(-1000001, 15007, at(5)), '<=', at(60.25 + 0.25),
  'the first leaves 250 ms late at most');

select * from finish();
rollback;
