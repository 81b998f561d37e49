-- sluice.take_by_turns
-- The attack: tasks that reserve a model's whole minute. While their tenant was alone no clock was
-- noted, and its second one began before all that others had submitted meanwhile.
begin;
\ir ../../_helpers.sql
select plan(2);

select given_model(tpm => 60000) as m, given_tenant() as evil, given_tenant() as good \gset
select given_worker(array[:'m']) as w \gset
select given_task(:'m', tenant => :'evil', max_output_tokens => 59000, p_now => at(0))
from generate_series(1, 3) \g /dev/null
-- begun: the tenants of the calls that a claim begins.
create function begun(p_worker bigint, p_most int, p_now timestamptz) returns text[] language sql
as $$
  select array_agg(t.tenant order by c.n)
  from unnest(claimed(p_worker, p_most, p_now)) with ordinality c(id, n)
  join sluice.task t on t.id = c.id
$$;
select is(begun(:w, 5, at(0)), array[:'evil'], 'the first one reserves all there is');
select given_task(:'m', tenant => :'good', max_output_tokens => 100, p_now => at(1))
from generate_series(1, 20) \g /dev/null
select is(begun(:w, 5, at(61)), array_fill(:'good'::text, array[5]),
  'a minute later it is the turn of who has had nothing');

select * from finish();
rollback;
