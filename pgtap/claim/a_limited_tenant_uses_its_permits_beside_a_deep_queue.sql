begin;
\ir ../_helpers.sql
select plan(2);

-- 600 went straight to the queue, two of three a limited tenant's. The others' 200 are work for five minutes, and it has 20
-- permits in each.
select given_model(rpm => 40) as m \gset
select given_tenant(rpm => 20) as t \gset
select given_worker(array[:'m']) as w \gset
select given_task(:'m', tenant => case when n % 3 = 0 then 'default' else :'t' end) from generate_series(1, 600) n \g /dev/null
create function drive(p_model text, p_worker bigint, p_seconds int) returns void language plpgsql
as $$
begin
  for v_step in 1 .. 4 * p_seconds loop
    perform sluice.admit(p_model, null, at(v_step / 4.0));
    perform sluice.claim(p_worker, null, 5, at(v_step / 4.0));
  end loop;
end
$$;
select drive(:'m', :w, 180) \g /dev/null
select cmp_ok((select count(*) from sluice.lease where tenant = :'t'), '>=', 50::bigint, 'three minutes: most of his 60');
select cmp_ok((select count(*) from sluice.lease where worker = :w), '>=', 100::bigint, 'and the model has done what it may');

select * from finish();
rollback;
