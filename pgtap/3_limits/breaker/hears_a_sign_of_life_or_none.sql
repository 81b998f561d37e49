begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
select id_of(:'m') as id \gset
create function state(p_id int) returns text language sql as $$ select state || successes
  from sluice.breaker where model = p_id $$;
select sluice.move_breaker(:id, 'closed', 'open', 'x', at(0)),
  sluice.move_breaker(:id, 'open', 'half_open', 'x', at(1)) \g /dev/null
select sluice.note_probe_ended(model_row(:'m'), null, null, at(2));
select is(state(:id), 'half_open0', 'never sent: nothing');
select sluice.note_probe_ended(model_row(:'m'), true, null, at(2));
select is(state(:id), 'half_open1', 'a success counts');
select sluice.note_probe_ended(model_row(:'m'), false, 'HTTP 500', at(3));
select is(state(:id), 'open0', 'a failure opens it');
select is((select reason from sluice.breaker where model = :id), 'the probe failed: HTTP 500',
  'and says why');

select * from finish();
rollback;
