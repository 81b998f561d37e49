begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
select given_worker() as w \gset
select given_task(:'m') as t \gset
select claimed(:w, 1) \g /dev/null
create temp table ended on commit drop as select array(select row(1,
  l)::sluice.ended_call from sluice.lease l where l.worker = :w) as calls;
select sluice.store_results(array[told(:t, 'solved', answer => 'first')], calls, at(2), null)
from ended;
select lives_ok(format('select sluice.store_results(array[told(%s, ''failed'')], calls, '
                       'at(3), null) from ended', :t), 'a second is no error');
select results_eq(format('select status, answer from sluice.result where task_id = %s', :t),
  $$values ('solved'::text, 'first'::text)$$, 'and changes nothing: exactly one result');

select * from finish();
rollback;
