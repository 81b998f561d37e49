-- sluice.advance_batches, sluice.batch_turns
begin;
\set alone
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(3);

select given_speaker('openai-chat') as m, given_speaker('anthropic-messages') as claude \gset
update sluice.batch set look_at = at(1000) where phase <> 'done';
select given_pages(1) \g /dev/null
select given_batch(:'m', 40, 'good') as good \gset
-- steps: of the good tenant's batch, when its steps would all have been due for p_steps turns that
-- take equally long.
create function steps(p_good bigint, p_from int, p_steps int) returns bigint language plpgsql
as $$
declare
  v_before timestamptz;
  v_steps bigint := 0;
begin
  for v_step in p_from .. p_from + p_steps - 1 loop
    update sluice.batch set look_at = at(0.5) where id = p_good;
    perform sluice.advance_batches(at(v_step));
    update sluice.batch_turn set finish_tag = start_tag + 1000;
    v_steps := v_steps + ((batch_row(p_good)).look_at <> at(0.5))::int;
  end loop;
  return v_steps;
end
$$;
select steps(:good, 1, 1) as s \gset
select batch_over(given_file('{}', 'bad'), 'bad') from generate_series(1, 20) \g /dev/null
select steps(:good, 2, 1) as s \gset
select is(steps(:good, 3, 20), 10::bigint,
  'a batch without lines ends in a step, and the next turn is the other tenant''s');
-- endless: a tenant that always has a new batch, and nothing of those before.
create function endless(p_good bigint, p_from int, p_steps int) returns bigint language plpgsql
as $$
declare
  v_steps bigint := 0;
begin
  for v_step in p_from .. p_from + p_steps - 1 loop
    delete from sluice.batch where tenant = 'bad' and phase = 'done';
    if not exists (select from sluice.batch where tenant = 'bad') then
      perform batch_over(given_file('{}', 'bad'), 'bad');
    end if;
    v_steps := v_steps + steps(p_good, v_step, 1);
  end loop;
  return v_steps;
end
$$;
delete from sluice.batch where tenant = 'bad';
select is(endless(:good, 100, 20), 10::bigint,
  'nor does a new one come first, though those before are deleted');
select sluice.advance_batches(at(100000)) from generate_series(1, 100) \g /dev/null
select is((select count(*) from sluice.batch_turn where tenant in ('good', 'bad')
  and stepped_at < at(50000)), 0::bigint, 'turns of long ago are forgotten');

select * from finish();
rollback;
