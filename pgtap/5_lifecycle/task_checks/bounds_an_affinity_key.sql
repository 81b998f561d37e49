begin;
\ir ../../_helpers.sql
select plan(7);

select given_model() as m \gset
select lives_ok($$select sluice.check_affinity_key(k)
  from (values (null), ('k'), (repeat('k', 200))) k(k)$$, 'up to 200 characters, or none');
select is((error_of(format('select sluice.check_affinity_key(%L)', k))).code, 'SL004',
  length(k) || ' are refused') from (values (''), (repeat('k', 201))) k(k);
select is((error_of(format('select sluice.submit(%L, %L, affinity_key => %L)', 'x', :'m', k))).code,
  'SL004', length(k) || ' by submit, too') from (values (''), (repeat('k', 201))) k(k);
select is((error_of(format('select sluice.submit_many(%L)', jsonb_build_array(
  jsonb_build_object('prompt', 'x', 'model', :'m'),
  jsonb_build_object('prompt', 'x', 'model', :'m', 'affinity_key', k))))).message,
  'task 2: affinity_key must have 1 to 200 characters', 'and by number')
from (values (''), (repeat('k', 201))) k(k);

select * from finish();
rollback;
