begin;
\set alone
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(6);

select given_speaker() as m \gset
update sluice.batch set look_at = at(1000) where phase <> 'done';
select given_batch(:'m', 1, n::text) from generate_series(1, 4) n \g /dev/null
-- turns: who has the next p_turns turns, if a step of s takes 5 ms and of others a second.
create function turns(p_turns int) returns text language plpgsql
as $$
declare
  v_tenants text[] := '{}';
  v_tenant text;
begin
  for v_turn in 1 .. p_turns loop
    v_tenant := (select b.tenant from sluice.batch_turns(at(1)) with ordinality t (id, n)
      join sluice.batch b using (id)
                 order by n limit 1);
    perform sluice.charge_turn(v_tenant, case when v_tenant <> 's' then 1000000
      else 5000 end, at(1));
    v_tenants := v_tenants || v_tenant;
  end loop;
  return array_to_string(v_tenants, '');
end
$$;
select is(turns(9), '123412341', 'equally long steps are made in turns');
select given_batch(:'m', 1, 's') \g /dev/null
select is(turns(12), 's234ssssssss',
  'a short step of a new tenant waits for one of each other, and those after it for none');
select is(rtrim(turns(191), 's'), '', 'for a second');
select is(turns(8), '1234ssss', 'until they have taken as long');
update sluice.batch set look_at = at(1000) where tenant = 's';
select turns(20) \g /dev/null
update sluice.batch set look_at = at(0) where tenant = 's';
select matches(turns(300), '^s{200,201}1234s', 'nobody saves up turns');
select sluice.charge_turn('1', 99 * 3600 * 1000000::bigint, at(1)),
  sluice.charge_turn('2', -99 * 3600 * 1000000::bigint, at(1))
\g /dev/null
select is((select max(finish_tag - start_tag) || ' ' || min(finish_tag - start_tag)
  from sluice.batch_turn), '10000000 1', 'a clock that was set settles nothing');

select * from finish();
rollback;
