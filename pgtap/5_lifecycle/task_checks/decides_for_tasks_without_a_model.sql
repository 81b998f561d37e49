begin;
\ir ../../_helpers.sql
select plan(9);

select given_model() as m \gset
select given_route(:'m') as r \gset
update sluice.settings set default_model = null;
select code, hint from error_of('select sluice.submit(''x'')') \gset
select is(:'code'::text, 'SL001'::text, 'without one they are refused');
select matches(:'hint'::text, '^Name one of [^.]*, or set a default: '
  'update sluice.settings set default_model = ''any''[.]$', 'with the names that there are');
select is((error_of($$select sluice.submit_many(
      '[{"prompt": "x"}, {"prompt": "y", "model": null}]')$$)).code, 'SL001', 'in bulk, too');
select lives_ok(format('select sluice.submit(''x'', %L)', :'m'), 'not those that name one');
update sluice.settings set default_model = :'m';
select is((select model from sluice.task(sluice.submit('x', p_now => at(0)))), :'m', 'a model');
select is((select model from sluice.task(i)), :'m', 'in bulk')
from sluice.submit_many('[{"prompt": "x"}]', at(0)) i;
update sluice.settings set default_model = :'r';
select is((select route from sluice.task(sluice.submit('x', p_now => at(0)))), :'r', 'or a route');
select matches(sluice.explain(sluice.submit('x', p_now => at(0)), at(0)),
  'queued for route ' || :'r', 'which explain says');
select sluice.submit('x', idempotency_key => 'k' || :'r') \g /dev/null
select is((error_of(format('select sluice.submit(''x'', %L, idempotency_key => ''k%s'')', :'r',
  :'r'))).code, 'SL008', 'a task that names it is another one');

select * from finish();
rollback;
