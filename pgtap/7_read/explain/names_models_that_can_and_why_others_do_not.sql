begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as a, given_model() as b \gset
select given_route(:'a', :'b') as r \gset
select own_line(:'r') as line \gset
select given_worker() \g /dev/null
select sluice.pause(:'b'), sluice.may_take(:line, id_of(:'a'), 1, 0, at(1)) \g /dev/null
select is(sluice.takers_text(:'r', null, :line, at(1)),
  format('can be taken by %s; not by %s (the model is paused)', :'a', :'b'), 'one of two');
select is(sluice.takers_text(:'r', null, :line, at(3)),
  format('no model can take it now: %s (has not asked for 1 s), '
  '%s (the model is paused)', :'a', :'b'), 'none');
select is(sluice.takers_text(:'r', 'openai-chat', :line, at(1)),
  'none of its models that speak openai-chat has a weight', 'no such model');

select * from finish();
rollback;
