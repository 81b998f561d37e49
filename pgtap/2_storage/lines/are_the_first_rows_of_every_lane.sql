begin;
\ir ../../_helpers.sql
\ir ../../4_policy/fair_share/_fair_turns.sql
select plan(7);

select given_model() as m \gset
select waits(:'m', 'a', 2, p_rank => 1), waits(:'m', 'b', 2, p_rank => 1),
  waits(:'m', 'a', 1, p_rank => -3), waits(:'m', 'c', 1, p_rank => 7) \g /dev/null
create function heads(p_model text, p_max int, p_rank int default -100,
  p_tenant bigint default null, p_last int default 100,
  p_now timestamptz default at(20)) returns text[] language sql
as $$ select coalesce(array_agg(h.rank || ' ' || t order by h.ordinality), '{}')
      from unnest(sluice.lane_heads(id_of(p_model), p_max, p_rank::smallint, p_tenant,
        p_last::smallint, p_now)) with ordinality h
      join unnest(array['a', 'b', 'c']) t on sluice.tenant_key(t) = h.tenant $$;
select case when sluice.tenant_key('a') < sluice.tenant_key('b') then 'a' else 'b' end as one,
  case when sluice.tenant_key('a') < sluice.tenant_key('b')
  then 'b' else 'a' end as two \gset
select is(heads(:'m', 9), array['-3 a', '1 ' || :'one', '1 ' || :'two', '7 c'],
  'by rank and tenant');
select is(heads(:'m', 2), array['-3 a', '1 ' || :'one'], 'no more than asked for');
select is(heads(:'m', 9, p_last => 1), array['-3 a', '1 ' || :'one', '1 ' || :'two'],
  'none of a rank beyond');
select is(heads(:'m', 9, 1, sluice.tenant_key(:'one') + 1), array['1 ' || :'two', '7 c'],
  'from a place on');
select given_mark(:'m', at(0.001), 1, :'two'), given_mark(:'m', at(9), 7, 'c'),
  given_mark(:'m', at(9), 50) \g /dev/null
select is(heads(:'m', 9), array['-3 a', '1 ' || :'one', '1 ' || :'two'],
  'what lies below a mark is not walked');
select is(heads(:'m', 9, p_now => at(9.2)), array['-3 a', '1 ' || :'one', '1 ' || :'two', '7 c'],
  'a mark ahead of the clock is none');
select is(sluice.lane_heads(2000000000, 9), '{}', 'a line that is gone has none');

select * from finish();
rollback;
