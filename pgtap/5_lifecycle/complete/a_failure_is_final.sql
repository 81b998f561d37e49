-- sluice.complete
begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_worker() as w \gset
select given_task(:'m') as t \gset
select claimed(:w, 1) \g /dev/null
select is(completed(:w, told(:t, 'failed', error => 'HTTP 400')), true, 'it holds');
select is(places(:t), 'failed', 'no retry, although attempts are left');
select results_eq(format('select kind, error, model, started_at, ended_at from sluice.attempt '
                         'where task_id = %s', :t),
  format('values (''failed''::text, ''HTTP 400''::text, %L::text, at(1), at(2))', :'m'),
    'the call is noted');

select * from finish();
rollback;
