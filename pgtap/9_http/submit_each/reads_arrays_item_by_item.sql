begin;
\ir ../../_helpers.sql
select plan(4);

select is(sluice.sent_items('[{"b": 1.10, "a": 2}, {}]')::text[],
  '{"{\"b\": 1.10, \"a\": 2}", "{}"}', 'each as it was sent');
select is((error_of('select sluice.sent_items(''[]'')')).code, 'SL004', 'none is refused');
select is((error_of(format('select sluice.sent_items(%L)',
  '[' || repeat('1,', 10000) || '1]'))).code, 'SL004', 'more than 10,000, too');
select is(sluice.tasks_of_bodies('{"{\"prompt\": \"x\"}", "{}"}', '{t, t}', '{k/1, k/2}', null),
  '[{"prompt": "x", "tenant": "t", "idempotency_key": "k/1"},
    {"tenant": "t", "idempotency_key": "k/2"}]',
  'with what the request says of all of them');

select * from finish();
rollback;
