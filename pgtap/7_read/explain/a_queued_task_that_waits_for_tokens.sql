begin;
\ir ../../_helpers.sql
select plan(2);

set local timezone = 'UTC';
select given_model(tpm => 60000) as m \gset
select given_worker(array[:'m']) as w \gset
select given_task(:'m', max_output_tokens => 10000) as large \gset
select given_tasks(:'m', 3) as ts \gset
select is(sluice.explain((:'ts'::bigint[])[2], at(1)),
  format('queued for %s: 2 ahead, permits now (tpm 60000)', :'m'), 'not in debt');
select claimed(:w, 1, at(1)) \g /dev/null
select matches(sluice.explain((:'ts'::bigint[])[2], at(2)),
  format('^queued for %s: 1 ahead, next permit 00:00:10 \(tpm 60000\)$', :'m'),
    'in debt: until it is paid, and no start is promised');

select * from finish();
rollback;
