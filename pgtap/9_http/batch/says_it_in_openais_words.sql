begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(4);

select results_eq($$select sluice.batch_status(batch_as(jsonb_build_object('phase', s.phase,
  'ending', s.ending))) from (values
    ('validate', null), ('submit', null), ('run', null), ('write', null), ('done', null),
      ('done', 'failed')) s(phase, ending)$$,
  array['validating', 'in_progress', 'in_progress', 'finalizing', 'completed', 'failed'],
    'on its way');
select results_eq($$select distinct sluice.batch_status(batch_as(jsonb_build_object('phase', p,
  'ending', 'cancelled')))
    from unnest(array['validate', 'submit', 'run', 'stop', 'write']) p$$, array['cancelling'],
      'when it was cancelled');
select results_eq($$select distinct sluice.batch_status(batch_as(jsonb_build_object('phase', p,
  'ending', 'expired')))
    from unnest(array['stop', 'write']) p$$, array['in_progress'], 'when its time is over');
select results_eq($$select sluice.batch_status(
    batch_as(jsonb_build_object('phase', 'done', 'ending', e)))
    from unnest(array['cancelled', 'expired']) e$$, array['cancelled', 'expired'], 'at the end');

select * from finish();
rollback;
