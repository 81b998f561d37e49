begin;
\ir ../../_helpers.sql
select plan(6);

select given_model() as m \gset
select sluice.submit('a', :'m', idempotency_key => 'key 1 of many') as t \gset
create temp table made on commit drop as
select * from sluice.submit_many(format('[{"model": "%1$s", "prompt": "a",
  "idempotency_key": "key 1 of many"},
  {"model": "%1$s", "prompt": "b", "idempotency_key": "key 2 of many"},
  {"model": "%1$s", "prompt": "b", "idempotency_key": "key 2 of many"}]',
  :'m')::jsonb) with ordinality x(id, n);
select is((select id from made where n = 1), :t::bigint, 'a key from before answers its task');
select is((select id from made where n = 3), (select id from made where n = 2),
  'a key twice in the array is one task');
select is((select count(*) from sluice.task where model = id_of(:'m')), 2::bigint,
  'two tasks in all');
select is((select count(*) from sluice.queue where model = id_of(:'m')), 2::bigint,
  'each in one place');
select code, message from error_of(format($$select sluice.submit_many('[{"model": "%1$s",
  "prompt": "a"}, {"model": "%1$s", "prompt": "c",
  "idempotency_key": "key 1 of many"}]')$$, :'m')) \gset
select is(:'code'::text, 'SL008', 'other content is SL008');
select matches(:'message'::text, '^task 2: ', 'with the element''s number');

select * from finish();
rollback;
