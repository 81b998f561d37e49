begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_worker() as w \gset
select given_task(:'m') as t \gset
select claimed(:w, 1) \g /dev/null
select is((select array_agg(applied)
    from sluice.complete(:w, array[told(:t, 'solved'), told(:t, 'solved')], at(2))),
  array[true, true], 'the same outcome twice in one array');
select is(places(:t), 'solved', 'is one result');
select is_empty(format('select * from sluice.complete(%s, ''{}'')', :w),
  'nothing to tell is no error');

select * from finish();
rollback;
