begin;
\ir ../../_helpers.sql
select plan(5);

select given_model() as m \gset
select is(sluice.bulk_filter('redrive', null,
    jsonb_build_object('model', :'m', 'tenant', 't', 'metadata', '{"a": 1}'::jsonb, 'batch_id', 7,
    'since', at(1), 'until', at(2), 'error_like', '%', 'error_code', 'x')),
  sluice.task_filter_of(:'m', 't', '{"a": 1}', 7, at(1), at(2), '%', 'x'), 'all of them');
select throws_ok($$select sluice.bulk_filter('cancel', 'mine', '{"tenant": "theirs"}')$$, 'SL009',
  null, 'a key has its tenant');
select is(sluice.bulk_filter('forget', null, '{"everything": true}'),
  sluice.task_filter_of(null, null, null, null, null, 'infinity'),
    'everything is what was before the end of time');
select is(sluice.bulk_filter('forget', null,
    jsonb_build_object('everything', true, 'until', at(1))),
  sluice.task_filter_of(null, null, null, null, null, at(1)), 'and what else is asked for');
select throws_ok($$select sluice.bulk_filter('forget', null, '{"error_code": "x"}')$$, 'SL004',
  null, 'errors are for a redrive');

select * from finish();
rollback;
