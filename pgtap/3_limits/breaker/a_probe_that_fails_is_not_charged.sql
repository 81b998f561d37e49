begin;
\ir ../../_helpers.sql
select plan(4);

select given_model(max_attempts => 2) as m \gset
select given_worker(array[:'m']) as w \gset
select given_task(:'m') as t \gset
select sluice.move_breaker(id_of(:'m'), 'closed', 'open', 'down', at(1)) \g /dev/null
select is((claimed(:w, 5, at(32)))[1], :t::bigint, 'the probe');
select is(sluice.is_probe(l), true, 'it is known as such') from sluice.lease l where l.task_id = :t;
select completed(:w, told(:t, 'retry', http_status => 503), at(33)) \g /dev/null
select is(places(:t), 'later', 'it waits for the next one');
select is((select attempts from sluice.later where task_id = :t), 0::smallint,
  'and keeps both its attempts');

select * from finish();
rollback;
