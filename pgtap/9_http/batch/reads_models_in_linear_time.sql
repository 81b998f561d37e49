-- sluice.validate_batch, sluice.line_sums
begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(2);

-- In ms, for a file of so many lines, each of which names another model. The settings are those of
-- advance_batches.
create function ms_of(p_step text, p_count int) returns numeric language plpgsql
set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan
as $$
declare
  v_file bigint := given_file(array[(select string_agg(line_of_batch('c' || n, 'm' || n) || E'\n',
    '') from generate_series(1, p_count) n)]);
  v_batch sluice.batch := batch_row(batch_over(v_file));
  v_began timestamptz := clock_timestamp();
begin
  if p_step = 'validate' then
    perform sluice.validate_batch(v_batch, at(1));
  else
    perform sluice.line_sums(p.lines, p.bodies, v_batch.endpoint, null)
    from sluice.batch_piece(v_file, null, null, 0) p;
  end if;
  return extract(epoch from clock_timestamp() - v_began) * 1000;
end
$$;

-- The machine is busy with other tests: one of five comparisons is enough. When all lines were
-- compared with all models, ten times as many took 50 times as long.
create function is_linear(p_step text) returns boolean language plpgsql as $$
begin
  for i in 1 .. 5 loop
    if ms_of(p_step, 5000) < 20 * ms_of(p_step, 500) then
      return true;
    end if;
  end loop;
  return false;
end
$$;
select is(is_linear('validate'), true, 'ten times as many models take about ten times as long');
select is(is_linear('sums'), true, 'its dry run, too');

select * from finish();
rollback;
