begin;
\ir ../_helpers.sql
\ir ../fair_turns/_helpers.sql
select plan(9);

-- The tenant and the rank of the lane that leads among a model's; no row: none does. In this ageing a rank is 10 s.
create function leader(p_model text, p_places int, p_now timestamptz default at(5)) returns text language sql
as $$
  select format('%s %s', (select min(b.tenant) from sluice.backlog b where sluice.tenant_key(b.tenant) = l.tenant), l.rank)
  from sluice.leader(sluice.waiting_lanes(array['backlog_' || id_of(p_model)], p_now), p_places, interval '10 s', p_now) l
  where l.line is not null
$$;
select given_model() as m \gset
select 'a' || :'m' as a, 'b' || :'m' as b \gset
select waits(:'m', :'a', 50, p_rank => 0) \g /dev/null
select is(leader(:'m', 10), :'a' || ' 0', 'the only lane leads');
select is(leader(:'m', 100), :'a' || ' 0', 'also when it has fewer than asked for');
select waits(:'m', :'a', 20, p_rank => -5) \g /dev/null
select is(leader(:'m', 20), :'a' || ' -5', 'of two lanes the more urgent leads that fills all places');
select is(leader(:'m', 21), null, 'and else none');
select waits(:'m', :'b', 1, p_rank => 1, p_ready => at(-45)) \g /dev/null
select is(leader(:'m', 20, at(9)), :'a' || ' -5', 'one that has aged to -4 does not change that');
select waits(:'m', :'b', 1, p_rank => 2, p_ready => at(-65)) \g /dev/null
select is(leader(:'m', 20, at(9)), null, 'one that has aged to -5 shares');
select waits(:'m', :'a', 1, p_rank => -5, p_ready => at(-15)) \g /dev/null
select is(leader(:'m', 20, at(9)), null, 'also when the first of the lane is better, but its last is not');
delete from sluice.backlog where tenant = :'b';
select waits(:'m', :'b', 30, p_rank => -5) \g /dev/null
select is(leader(:'m', 20), null, 'nor does it lead before another tenant''s of the same rank');
delete from sluice.backlog where tenant = :'b';
insert into sluice.tenants (name, rpm) values (:'a', 60);
select is(leader(:'m', 20), null, 'a tenant with a quota may not use all places');

select * from finish();
rollback;
