-- sluice.claim
begin;
\ir ../../_helpers.sql
\ir ../../_witness.sql
select plan(4);


select setseed(0.24);
select given_model() as a \gset
select given_model(rpm => 3000) as b \gset
select given_tenant(rpm => 120, tpm => 40000) as t \gset
select given_worker() as w \gset
select given_worker() as other \gset
select given_task(case when random() < 0.5 then :'a' else :'b' end, tenant => :'t',
  max_output_tokens => (20 + random() * 500)::int)
from generate_series(1, 250) \g /dev/null

create function drive(p_tenant text, p_models text[], p_workers bigint[]) returns void
  language plpgsql
as $$
declare
  v_time numeric := 1;
  v_offset numeric := 0;
  v_id int := (select id from sluice.tenants where name = p_tenant);
begin
  while v_time < 120 loop
    v_time := v_time + (random() * 1.5)::numeric;
    if random() < 0.02 then
      perform setval(('sluice.tenant_' || k || v_id)::regclass, 1, false)
        from unnest(array['bucket_', 'tokens_']) k;
    elsif random() < 0.02 then
      v_offset := v_offset - (random() * 20)::numeric;
    end if;
    perform sluice.wake(at(v_time + v_offset));
    perform settle_due(v_time, v_offset);
    perform take(p_workers[1 + (random() * 0.99)::int], 1 + (random() * 20)::int, v_time,
      v_offset, 40000);
  end loop;
end
$$;
select drive(:'t', array[:'a', :'b'], array[:w, :other]) \g /dev/null
select cmp_ok((select count(*) from call), '>', 80::bigint,
  'many calls of two models and two workers');
select is_empty('select * from measured where requests > 120', 'never more than the tenant''s rpm');
select is_empty($$select * from measured where tokens >= tpm + (select max(reserved) from call)$$,
  'nor a whole request above its tpm');
select is_empty(format($$select from sluice.attempt a join sluice.task t on t.id = a.task_id
  where t.tenant = %L$$, :'t'), 'no attempt was charged for waiting');

select * from finish();
rollback;
