begin;
\ir ../../_helpers.sql
\ir ../../_witness.sql
select plan(3);

select setseed(0.42);
select given_model(rpm => 600, tpm => 60000) as m \gset
select given_worker() as w \gset
select given_task(:'m', prompt => repeat('x', (random() * 4000)::int),
  max_output_tokens => (20 + random() * 1500)::int)
from generate_series(1, 1500) \g /dev/null

-- Five minutes with crashes, a clock that is set back, and a limit that changes.
create function drive(p_model text, p_worker bigint) returns void language plpgsql
as $$
declare
  v_time numeric := 1;
  v_offset numeric := 0;
  v_tpm int := 60000;
begin
  while v_time < 300 loop
    v_time := v_time + (random() * 2)::numeric;
    if random() < 0.03 then
      perform forget_counter(k, p_model) from unnest(array['bucket', 'tokens', 'learned']) k;
    elsif random() < 0.03 then
      v_offset := v_offset - (random() * random() * 600)::numeric;
    elsif random() < 0.02 then
      v_tpm := (20000 + random() * 100000)::int;
      update sluice.models set tpm = v_tpm where name = p_model;
      update sluice.models set limits_changed_at = at(v_time + v_offset) where name = p_model;
    end if;
    perform settle_due(v_time, v_offset);
    perform take(p_worker, 1 + (random() * 20)::int, v_time, v_offset, v_tpm);
  end loop;
end
$$;
select drive(:'m', :w) \g /dev/null
select cmp_ok((select count(*) from call), '>', 100::bigint, 'a hundred calls and more');
select is_empty($$select * from measured where tokens >= tpm + (select max(reserved) from call)$$,
  'what was used and what is reserved, in the minute before each claim, '
  'is never above tpm by a whole request');
select is_empty('select * from measured where requests > 600',
  'and the requests are never more than rpm');

select * from finish();
rollback;
