begin;
\ir ../../_helpers.sql
select plan(7);


create function parked(p_until timestamptz, p_reason text) returns boolean language sql
as $$ select sluice.was_parked_by_calls(jsonb_populate_record(null::sluice.models,
  jsonb_build_object('closed_until', p_until, 'closed_reason', p_reason))) $$;
select is(parked('infinity', code || ': HTTP 4xx'), true, code)
from unnest(array['credential', 'billing', 'refused']) code;
select is(parked(at(1), 'refused: HTTP 404'), false, 'not one that opens by itself');
select is(parked('infinity', 'holidays'), false, 'somebody closed it');
select is(parked('infinity', null), false, 'and said nothing');
select is(parked(null, null), false, 'it is open');

select * from finish();
rollback;
