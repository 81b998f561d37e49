-- sluice.claim
begin;
\ir ../../_helpers.sql
select plan(1);

select given_model(tpm => 60000) as m \gset
select id_of(:'m') as id \gset
select given_worker() as w \gset
select sluice.submit_many((select jsonb_agg(jsonb_build_object('prompt', 'question', 'model', :'m',
  'max_output_tokens', 400 + n % 7 * 50))
  from generate_series(1, 400) n), at(0)) \g /dev/null
-- Claims whatever is granted at the moment it is; each call uses what was reserved.
create function drive(p_model text, p_worker bigint) returns bigint language plpgsql
as $$
declare
  v_now timestamptz := at(1);
  v_tokens bigint := 0;
begin
  while v_now < at(181) loop
    perform claimed(p_worker, 50, v_now);
    v_now := sluice.next_permit_at(p_model, v_now);
  end loop;
  return (select sum(reserved_tokens) from sluice.lease where model = id_of(p_model));
end
$$;
select cmp_ok(drive(:'m', :w), '>=', (3 * 60000 * 0.98)::bigint, 'three minutes use 98 % of it');

select * from finish();
rollback;
