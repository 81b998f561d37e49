-- sluice.blocked_text, sluice.line_part
begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as a, given_model() as b \gset
select given_route(:'a', :'b') as r \gset
update sluice.routes set tier = 2 where route = :'r' and model = :'b';
select own_line(:'r') as line \gset
select given_worker() \g /dev/null
select sluice.may_take(:line, id_of(:'a'), 1, 0, at(1)),
  sluice.may_take(:line, id_of(:'b'), 1, 0, at(1), 2) \g /dev/null
select is(sluice.takers_text(:'r', null, :line, at(1)),
  format('can be taken by %s; not by %s (of tier 2, and an earlier one takes them)', :'a', :'b'),
  'the first tier');
select is(sluice.line_part(:line, model_row(:'b'), at(1)), 0::float8, 'the other expects none');
select sluice.pause(:'a') \g /dev/null
select is(sluice.takers_text(:'r', null, :line, at(1)),
  format('can be taken by %s; not by %s (the model is paused)', :'b', :'a'), 'then the second');

select * from finish();
rollback;
