begin;
\ir ../../_helpers.sql
select plan(7);

select given_model() as m \gset
select given_model() as n \gset
select given_route(:'n') as r \gset
select given_worker(array[:'m', :'n']) as w \gset
select given_task(:'m') as a \gset
select given_task(:'m') as b \gset
select given_task(:'n') as c \gset
select given_task(:'r') as d \gset
select given_task(:'m') as cancelled \gset
select given_task(:'m') as solved \gset
select sluice.cancel(:cancelled, at(1)) \g /dev/null
select claimed(:w, 10) \g /dev/null
select sluice.complete(:w,
  array[told(:a, 'failed', error => 'HTTP 400: bad'), told(:b, 'failed', error => 'HTTP 413'),
  told(:c, 'failed', error => 'HTTP 400: bad'), told(:d, 'failed', error => 'HTTP 400: bad'),
    told(:solved, 'solved')], at(2)) \g /dev/null
select is(sluice.redrive_all(:'m', 'HTTP 400%', p_now => at(3)), 1::bigint, 'by both');
select is(array[places(:a), places(:b), places(:c)], array['queue', 'failed', 'failed'],
  'only what meets both');
select is(sluice.redrive_all(:'r', p_now => at(3)), 1::bigint, 'by the route that was named');
select is(places(:d), 'queue', 'its task');
select is(sluice.redrive_all(:'n', p_now => at(3)), 1::bigint, 'by a model');
select is(sluice.redrive_all(:'m', p_now => at(3)), 1::bigint, 'what remains of the other');
select is(array[places(:cancelled), places(:solved)], array['cancelled', 'solved'],
  'what did not fail stays');

select * from finish();
rollback;
