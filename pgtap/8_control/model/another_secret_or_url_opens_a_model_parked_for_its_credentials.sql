-- sluice.before_model_changes
begin;
\ir ../../_helpers.sql
select plan(5);

create function parked(p_reason text, p_change text) returns boolean language plpgsql as $$
declare
  v_model text := given_model();
begin
  update sluice.models set closed_until = 'infinity', closed_reason = p_reason where name = v_model;
  execute format('update sluice.models set %s where name = %L', p_change, v_model);
  return (select closed_until = 'infinity' from sluice.models where name = v_model);
end
$$;
select is(parked('credential: HTTP 401', $$secret = 'env:OTHER'$$), null,
  'another secret is tried');
select is(parked('credential: HTTP 401', $$url = 'http://127.0.0.1:2'$$), null,
  'another address, too');
select ok(parked('credential: HTTP 401', 'rpm = 5'), 'any other change leaves it parked');
select ok(parked('billing: HTTP 402', $$secret = 'env:OTHER'$$),
  'an unpaid bill is no matter of keys');
select ok(parked('holidays', $$secret = 'env:OTHER'$$), 'nor is what somebody closed by hand');

select * from finish();
rollback;
