begin;
\ir ../../_helpers.sql
\ir _fair_turns.sql
select plan(5);

-- The tokens of p_rounds rounds: what weight 2 got for each that weight 1 got.
create function ratio(p_model text, p_places int, p_rounds int) returns float8 language plpgsql
as $$
declare
  v_turns sluice.turn[];
  v_sums float8[] := '{0,0}';
begin
  for v_round in 1 .. p_rounds loop
    v_turns := sluice.fair_turns(id_of(p_model), sluice.open_heads(own_line(p_model), 1000, at(60)),
      '{}', p_places, at(60));
    perform sluice.note_clocks(id_of(p_model), v_turns);
    v_sums := (
      select array[v_sums[1]
        + coalesce(sum(t.request_bytes / 4) filter (where q.tenant like 'heavy%'), 0),
        v_sums[2] + coalesce(sum(t.request_bytes / 4) filter (where q.tenant like 'light%'), 0)]
      from unnest(v_turns) t join sluice.queue q on q.task_id = t.task_id);
  end loop;
  return v_sums[1] / v_sums[2];
end
$$;
select format('heavy-%s', pg_backend_pid()) as heavy,
  format('light-%s', pg_backend_pid()) as light \gset
insert into sluice.tenants (name, weight) values (:'heavy', 2), (:'light', 1);

select given_model() as same \gset
select waits(:'same', :'heavy', 300), waits(:'same', :'light', 300) \g /dev/null
select ok(ratio(:'same', 50, 20) between 1.99 and 2.01, 'tasks of one size');
select ok(ratio(:'same', 1, 300) between 1.99 and 2.01, 'places given one by one');

select given_model() as long \gset
select waits(:'long', :'heavy', 300, 200), waits(:'long', :'light', 200, 4) \g /dev/null
select ok(ratio(:'long', 100, 60) between 1.95 and 2.05,
  'tasks of the heavy one are 50 times as long');
select ok(ratio(:'long', 10, 300) between 1.95 and 2.05, 'also in rounds shorter than one of them');

update sluice.tenants set weight = 6 where name = :'heavy';
select ok(ratio(:'same', 70, 20) between 5.9 and 6.1, 'a new weight holds at once');

select * from finish();
rollback;
