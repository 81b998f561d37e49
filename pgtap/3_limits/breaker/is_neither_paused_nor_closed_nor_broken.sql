begin;
\ir ../../_helpers.sql
select plan(8);

select given_model() as m \gset
select id_of(:'m') as id \gset
select ok(sluice.is_open(model_row(:'m'), at(0)), 'a model is open');
update sluice.models set paused = true where name = :'m';
select ok(not sluice.is_open(model_row(:'m'), at(0)), 'paused');
update sluice.models set paused = false, closed_until = at(10) where name = :'m';
select ok(not sluice.is_open(model_row(:'m'), at(9)), 'closed');
select ok(sluice.is_open(model_row(:'m'), at(10)), 'until then');
select sluice.move_breaker(:id, 'closed', 'open', 'test', at(20));
select ok(not sluice.is_open(model_row(:'m'), at(49)), 'broken');
select ok(sluice.is_open(model_row(:'m'), at(50)), 'until probes may begin');
select ok(sluice.is_open(model_row(:'m'), at(19)),
  'a clock set back does not keep it blocked for ever');
select sluice.move_breaker(:id, 'open', 'half_open', 'test', at(50));
select ok(sluice.is_open(model_row(:'m'), at(50)), 'half open');

select * from finish();
rollback;
