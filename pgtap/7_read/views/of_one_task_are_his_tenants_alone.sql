begin;
\ir ../../_helpers.sql
select plan(5);

select given_model() as m \gset
select given_tenant('sluice_submitter') as a, given_tenant('sluice_submitter') as b \gset
select given_worker() as w \gset
select given_task(:'m', tenant => :'a') as own, given_task(:'m', tenant => :'b') as foreign \gset
select claimed(:w, 2) \g /dev/null
select sluice.complete(:w, array[told(:own, 'retry', error => 'HTTP 500', http_status => 500,
  input_tokens => 7, billed => true),
  told(:foreign, 'retry', error => 'HTTP 500', http_status => 500)], at(2)) \g /dev/null
select results_eq(format('select * from sluice.attempts(%s)', :own),
  format('select * from sluice.attempts where task_id = %s', :own), 'each column is the view''s');
select is((select array_agg(error) from sluice.attempts(:foreign)), '{HTTP 500}',
  'an administrator reads everybody''s');
set local role :"a";
select is((select array_agg(error) from sluice.attempts(:own)), '{HTTP 500}', 'a tenant his own');
select is_empty(format('select * from sluice.attempts(%s)', :foreign), 'and no other''s');
select is_empty('select * from sluice.attempts(-1)', 'as of none');

select * from finish();
rollback;
