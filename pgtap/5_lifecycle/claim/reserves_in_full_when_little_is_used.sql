-- sluice.claim
begin;
\ir ../../_helpers.sql
\ir ../../_witness.sql
select plan(2);


-- Calls of 30 s that use a tenth of what was reserved: giving back the rest must not make room for
-- more than a minute's tokens at the same time, for all of them might use it.
select given_model(tpm => 60000) as m \gset
select given_worker() as w \gset
select sluice.submit_many((select jsonb_agg(jsonb_build_object('prompt', 'question', 'model', :'m',
  'max_output_tokens', 990))
  from generate_series(1, 600) n), at(0)) \g /dev/null
create function drive(p_worker bigint) returns void language plpgsql
as $$
declare
  v_time numeric;
begin
  for n in 1 .. 360 loop
    v_time := 1 + n * 0.25;
    perform settle_due(v_time, 0);
    perform take(p_worker, 20, v_time, 0, 60000);
    update call set ends = v_time + 30, used = reserved / 10 where at = v_time;
  end loop;
end
$$;
select drive(:w) \g /dev/null
select cmp_ok((select count(*) from call), '>', 70::bigint,
  'what calls did not use was given back');
select is_empty($$select * from measured where tokens >= tpm + (select max(reserved) from call)$$,
  'used and reserved, of the calls of any minute');

select * from finish();
rollback;
