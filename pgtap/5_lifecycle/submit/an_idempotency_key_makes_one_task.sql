begin;
\ir ../../_helpers.sql
select plan(7);

select given_model() as m \gset
select sluice.submit('a', :'m', idempotency_key => 'key of one task') as t \gset
select is(sluice.submit('a', :'m', idempotency_key => 'key of one task'), :t::bigint,
  'the same content again is the same task');
select is(sluice.submit('a', :'m', 9, idempotency_key => 'key of one task'), :t::bigint,
  'priority is no content');
select is((select count(*) from sluice.task where model = id_of(:'m')), 1::bigint,
  'there is one task');
select isnt(sluice.submit('a', :'m', tenant => 'other',
  idempotency_key => 'key of one task'), :t::bigint, 'another tenant''s key is another key');
select code, message, hint from error_of(format(
  'select sluice.submit(''b'', %L, idempotency_key => ''key of one task'')', :'m')) \gset
select is(:'code'::text, 'SL008', 'other content is SL008');
select matches(:'message'::text, :t::text, 'the message names the task');
select isnt(:'hint'::text, '', 'with a hint');

select * from finish();
rollback;
