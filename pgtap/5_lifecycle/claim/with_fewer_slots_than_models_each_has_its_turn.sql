-- sluice.model_before
begin;
\ir ../../_helpers.sql
select plan(5);

select setseed(0.5);
select given_model() as a, given_model() as b, given_model() as c \gset
select given_worker() as w \gset
select given_tasks(:'a', 100), given_tasks(:'b', 100), given_tasks(:'c', 100) \g /dev/null
-- fewest: how many of p_claims of one task the model has that has fewest.
create function fewest(p_worker bigint, p_claims int, p_is_urgent boolean default false)
returns bigint language plpgsql
as $$
declare
  v_models text[] := '{}';
begin
  for n in 1 .. p_claims loop
    v_models := v_models || (select c.model from sluice.claim(p_worker, null, 1, at(1)) c);
    if p_is_urgent then
      perform count(*) from sluice.claim_urgent(p_worker, null, 1, at(1));
    end if;
  end loop;
  return (select min(k.calls) from (
    select count(t.model) as calls from sluice.models m left join unnest(v_models) t(model)
      on t.model = m.name group by m.name) k);
end
$$;
select cmp_ok(fewest(:w, 60), '>=', 14::bigint,
  'of sixty claims of one task each model has its part');
select cmp_ok(fewest(:w, 30, true), '>=', 6::bigint,
  'also where each is followed by a look for urgent tasks');
select set_config('sluice.model_before', 'x', false) \g /dev/null
select cmp_ok(fewest(:w, 30), '>=', 6::bigint, 'or the session has something else there');

insert into sluice.routes (route, model) values ('r', :'a'), ('s', :'a');
select given_task('r') \g /dev/null
select cmp_ok(fewest(:w, 60), '>=', 4::bigint, 'and where one of them has many routes');
select is((select count(*) from sluice.claim_within(:w, array[:'a', null, :'b'], array[1, 9, 1], 9,
  at(1))), 2::bigint, 'a maximum for no model is none');

select * from finish();
rollback;
