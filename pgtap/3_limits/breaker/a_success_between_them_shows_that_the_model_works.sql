-- sluice.note_health
begin;
\ir ../../_helpers.sql
select plan(8);


select given_model() as m \gset
select given_worker() as w \gset
select given_tasks(:'m', 40) as ids \gset
select claimed(:w, 40) \g /dev/null
-- told_of: outcomes of the tasks from p_from on, a letter each: what the model has heard in a row
-- then, or that it is parked.
create function told_of(p_worker bigint, p_ids bigint[], p_from int, p_kinds text,
  p_now numeric) returns text language plpgsql
as $$
declare
  v_model int := (select model from sluice.task where id = p_ids[1]);
begin
  perform sluice.complete(p_worker, array(select case substr(p_kinds, n, 1)
      when 's' then told(p_ids[p_from + n - 1], 'solved', answer => 'a')
      when 'f' then refused(p_ids[p_from + n - 1], 1, 403) else refused(p_ids[p_from + n - 1]) end
    from generate_series(1, length(p_kinds)) n), at(p_now));
  return coalesce((select 'parked' from sluice.models where id = v_model
    and closed_until = 'infinity'),
                  (select cardinality(tasks)::text from sluice.refusal
                    where model = v_model), 'none');
end
$$;
select is(told_of(:w, :'ids', 1, 's', 2), 'none', 'successes alone leave no trace');
select is(told_of(:w, :'ids', 2, 'rrrr', 3), '4', 'four in a row');
select is(told_of(:w, :'ids', 6, 's', 4), '0', 'until the next success');
select is(told_of(:w, :'ids', 7, 'rrrrsrrrr', 5), '0',
  'what is told together was refused beside a success');
select is(told_of(:w, :'ids', 16, 'rrrr', 6), '4', 'four again');
select is(told_of(:w, :'ids', 20, 'f', 7), '1', 'another status is another row of them');
select is(told_of(:w, :'ids', 21, 'rrrr', 8), '4', 'and so is the first one then');
select is(told_of(:w, :'ids', 25, 'r', 9), 'parked', 'five in a row');

select * from finish();
rollback;
