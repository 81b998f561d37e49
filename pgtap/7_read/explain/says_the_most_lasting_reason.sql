begin;
\ir ../../_helpers.sql
select plan(5);

set local timezone = 'UTC';
select given_model() as m \gset
select is(sluice.closed_text(model_row(:'m'), at(0)), null, 'open');
select sluice.move_breaker(id_of(:'m'), 'closed', 'open', 'down', at(0)) \g /dev/null
select is(sluice.closed_text(model_row(:'m'), at(1)), 'the breaker is open until 00:00:30 (down)',
  'the breaker');
update sluice.models set closed_until = at(60), closed_reason = '429' where name = :'m';
select is(sluice.closed_text(model_row(:'m'), at(1)), 'the model is closed until 00:01:00 (429)',
  'closed for longer');
update sluice.models set closed_until = 'infinity', closed_reason = 'bill' where name = :'m';
select is(sluice.closed_text(model_row(:'m'), at(1)),
  format('the model is parked until somebody runs sluice model resume %s (bill)', :'m'), 'parked');
update sluice.models set paused = true where name = :'m';
select is(sluice.closed_text(model_row(:'m'), at(1)), 'the model is paused', 'paused by somebody');

select * from finish();
rollback;
