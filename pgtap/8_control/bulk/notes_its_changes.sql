begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m, given_tenant() as t \gset
select given_task(:'m', tenant => :'t') from generate_series(1, 3) \g /dev/null
select sluice.task_filter_of(:'m', :'t', null, null, null, null) as f \gset
create function noted(p_action text) returns setof jsonb language sql as $$ select detail
  from sluice.audit where action = p_action $$;
select is((sluice.bulk_part('cancel', :'f', null, 'infinity', at(1))).done, 3::bigint, 'three');
select results_eq($$select noted('cancel_all')$$,
  array[jsonb_build_object('tenant', :'t', 'cancelled', 3)],
  'the conditions that were given, and the count');
select sluice.bulk_part('forget', sluice.task_filter_of(:'m', 'nobody', null, null, null, null),
  null, 'infinity', at(1)) \g /dev/null
select is_empty($$select noted('forget_all')$$, 'a forget that finds nothing is the end of one');
select sluice.bulk_part('cancel', :'f', '{"places": [], "after": 0, "until": 0}', 'infinity',
  at(1)) \g /dev/null
select is((select count(*) from noted('cancel_all')), 1::bigint,
  'nor has the audit a part that did nothing');

select * from finish();
rollback;
