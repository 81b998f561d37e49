begin;
\ir ../../_helpers.sql
select plan(5);

set local timezone = 'UTC';
select given_model() as m \gset
select given_worker(array[:'m']) as w \gset
select is(sluice.closed_text(model_row(:'m'), at(0)), null, 'closed: all');
select sluice.move_breaker(id_of(:'m'), 'closed', 'open', 'down', at(0)) \g /dev/null
select is(sluice.closed_text(model_row(:'m'), at(1)), 'the breaker is open until 00:00:30 (down)',
  'nothing until then');
select is(sluice.closed_text(model_row(:'m'), at(31)),
  'the breaker lets one call at a time through', 'then a probe');
select given_task(:'m') \g /dev/null
select claimed(:w, 1, at(32)) \g /dev/null
select is(sluice.closed_text(model_row(:'m'), at(33)),
  'the breaker is half open and lets one call at a time through, '
  'a probe is under way since 00:00:32', 'which is under way');
delete from sluice.lease where worker = :w;
select is(sluice.closed_text(model_row(:'m'), at(33)),
  'the breaker is half open and lets one call at a time through', 'or not');

select * from finish();
rollback;
