begin;
\ir ../../_helpers.sql
\ir ../../4_policy/fair_share/_fair_turns.sql
select plan(3);

select given_model() as m \gset
select given_tenant(rpm => 60) as t \gset
insert into sluice.tenants (name, weight) values ('heavy-' || :'t', 5);
select waits(:'m', :'t', 2), waits(:'m', 'heavy-' || :'t', 2),
  waits(:'m', 'default', 2) \g /dev/null
create function seen(p_model text) returns text language sql
as $$ select string_agg(coalesce(h.weight, 1) || ' ' || coalesce(h.headroom::text, '-'), ', '
  order by h.weight, h.headroom)
      from unnest(sluice.weighed(sluice.lane_heads(id_of(p_model), 9), at(1))) h $$;
select is(seen(:'m'), '1 1, 1 -, 5 -', 'weights, and the headroom that quotas leave');
select sluice.take_permits(sluice.request_quota(t), 9, at(1)) as x from sluice.tenants t
where name = :'t' \g /dev/null
select is(seen(:'m'), '1 -, 5 -', 'none for who has no permit');
select is(sluice.weighed('{}', at(1)), '{}', 'of none, none');

select * from finish();
rollback;
