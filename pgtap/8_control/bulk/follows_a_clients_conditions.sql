begin;
\ir ../../_helpers.sql
select plan(9);

select given_model() as m \gset
select 'tenant ' || :'m' as tenant \gset
select sluice.submit('x', :'m', tenant => :'tenant', p_now => at(0)) as mine,
  sluice.submit('x', :'m', p_now => at(0)) as other \gset
select is(sluice.bulk_step('cancel', :'tenant', '{"everything": true}', null, at(1)),
  '{"done": 1, "next": null}', 'cancels');
select is(array[places(:mine), places(:other)], array['cancelled', 'queue'],
  'what is the key''s tenant''s');
select is(sluice.bulk_step('redrive', null, jsonb_build_object('model', :'m', 'error_like', '%',
  'error_code', 'x'), null, at(2)), '{"done": 0, "next": null}', 'redrives');
select is(sluice.bulk_step('forget', null, jsonb_build_object('model', :'m', 'tenant', :'tenant'),
  null, at(3)) ->> 'done', '1', 'forgets');
select throws_ok($$select sluice.bulk_step('cancel', null, '{"error_like": "%"}')$$, 'SL004', null,
  'an error is no condition of a cancel');
select throws_ok($$select sluice.bulk_step('forget', null, '{"batch_id": "one"}')$$, 'SL004', null,
  'nor is one a number');
select throws_ok($$select sluice.bulk_step('cancel', null, '{}')$$, 'SL004', null,
  'nor is nothing one');
select throws_ok($$select sluice.bulk_step('forget', null, '{"model": "no such"}')$$, 'SL001', null,
  'an unknown model');
select is((select array_agg((action, detail - 'tenant' - 'until')::text order by id)
  from sluice.audit
    where (object = :'m' and action ~ '_all$') or detail ->> 'tenant' = :'tenant'),
  array['(cancel_all,"{""cancelled"": 1}")',
    '(redrive_all,"{""redriven"": 0, ""error_code"": ""x"", ""error_like"": ""%""}")',
        '(forget_all,"{""forgotten"": 1}")'], 'each is on record');

select * from finish();
rollback;
