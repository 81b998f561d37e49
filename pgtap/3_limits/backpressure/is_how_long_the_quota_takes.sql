begin;
\ir ../../_helpers.sql
select plan(1);

select given_model(rpm => 600) as m, given_model() as n \gset
update sluice.models set max_unfinished = 100 where name in (:'m', :'n');
create function hint(
  p_model text, p_unfinished int, p_tasks int, p_closed_until timestamptz default null,
    p_paused boolean default false)
returns text language plpgsql
as $$
declare
  v_model sluice.models := model_row(p_model);
begin
  v_model.closed_until := p_closed_until;
  v_model.paused := p_paused;
  return sluice.when_to_retry(v_model, p_unfinished, p_tasks, 100, 0.95, at(0));
end
$$;
select results_eq(
  format('select hint(%1$L, 95, 1) union all select hint(%1$L, 100, 20) union all select hint(%1$L,
    5000, 1) union all
    select hint(%1$L, 95, 1, at(30)) union all select hint(%1$L, 95, 1, ''infinity'') union all
    select hint(%2$L, 95, 1) union all
    select hint(%2$L, 95, 1, p_paused => true)', :'m', :'n'),
  array['Try again in about 1 s.', 'Try again in about 3 s.', 'Try again in about 60 s.',
    'Try again in about 31 s.',
    'It is parked: select sluice.resume(''' || :'m' || ''') lets it go on.',
    'Try again in a few seconds, when some of its tasks have ended.',
    'It is paused: select sluice.resume(''' || :'n' || ''') lets it go on.'],
  'tasks that must end times the interval of permits, at most 60 s; nothing invented');

select * from finish();
rollback;
