-- sluice.bucket
begin;
\ir ../../_helpers.sql
select plan(5);

create function greedy(p_model text, p_from timestamptz, p_to timestamptz)
returns table (granted_at timestamptz, permits int) language plpgsql
as $$
declare
  v_quota sluice.quota := quota_of(p_model);
  v_now timestamptz := p_from;
  v_next timestamptz;
begin
  while v_now < p_to loop
    select g.granted, g.next_at into permits, v_next from grant_permits(v_quota, 1000, v_now) g;
    granted_at := v_now;
    return next;
    v_now := v_next;
  end loop;
end
$$;
select given_model(rpm => 600) as m \gset
create temp table grants on commit drop as select * from greedy(:'m', at(0), at(100));
update sluice.models set rpm = 1200 where name = :'m';
update sluice.models set limits_changed_at = at(100) where name = :'m';
insert into grants select * from greedy(:'m', at(100), at(200));
update sluice.models set rpm = 60 where name = :'m';
update sluice.models set limits_changed_at = at(200) where name = :'m';
insert into grants select * from greedy(:'m', at(200), at(300));

create temp table minute on commit drop as
select granted_at, sum(permits) over (
  order by granted_at range between current row and '60.249999 s' following) as n from grants;
select cmp_ok((select max(n) from minute where granted_at < at(39)), '<=', 600::bigint,
  'before: 600');
select cmp_ok((select max(n) from minute where granted_at < at(139)), '<=', 1200::bigint,
  'over the rise: never above 1,200');
select cmp_ok((select max(n) from minute where granted_at >= at(100)), '<=', 1200::bigint,
  'over the fall: never above 1,200');
select cmp_ok((select max(n) from minute where granted_at >= at(200)), '<=', 60::bigint,
  'after: 60');
select cmp_ok((select sum(permits) from grants where granted_at >= at(101)
  and granted_at < at(102)), '>=', 19::bigint, 'a second after the rise the new rate is in force');

select * from finish();
rollback;
