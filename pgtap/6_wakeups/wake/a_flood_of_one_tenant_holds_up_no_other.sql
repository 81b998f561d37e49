-- The attack: 400,000 tasks of one tenant due at one moment held up others' for 30 s.
begin;
\set alone
\ir ../../_helpers.sql
select plan(5);

select given_model() as m \gset
create function later(p_model text, p_ids int[], p_at numeric, p_tenant text) returns void
language sql
as $$ insert
  into sluice.later (task_id, ready_at, model, request_bytes, fence, rank, attempts, tenant)
      select n, at(p_at), id_of(p_model), 1, 0, 0, 0, p_tenant from unnest(p_ids) n $$;
create function waiting(p_tenant text) returns bigint language sql
as $$ select count(*) from sluice.later where tenant = p_tenant $$;
select later(:'m', array(select generate_series(1, 3000)), 1, 'flood'),
  later(:'m', array(select generate_series(4001, 4010)), 2, 'small'),
  later(:'m', '{4011}', 9, 'small') \g /dev/null
select is(sluice.wake(at(3)), 1260, 'a thousand, and half as many by turns');
select is(waiting('small'), 1::bigint, 'of others all that are due');
select is(waiting('flood'), 1750::bigint, 'of the flood the first, and its turns');
select is(sluice.wake(at(3)), 1000, 'what is left needs no turns');
select is(sluice.wake(at(3)), 750, 'to the end');

select * from finish();
rollback;
