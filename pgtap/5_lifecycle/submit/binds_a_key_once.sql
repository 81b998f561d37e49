begin;
\ir ../../_helpers.sql
select plan(5);

select is(sluice.keep_key('t', 'key of keep_key', 'a', 1), 1::bigint, 'a new key is bound');
select is(sluice.keep_key('t', 'key of keep_key', 'a', 2), 1::bigint,
  'a known one answers its task');
select throws_ok($$select sluice.keep_key('t', 'key of keep_key', 'b', 3)$$, 'SL008', null,
  'other content is refused');
select is((select count(*) from sluice.idempotency where task_id in (2, 3)), 0::bigint,
  'and nothing more is bound');
select is((select octet_length(key_sha256) from sluice.idempotency where tenant = 't'
  and task_id = 1), 32, 'the key itself, which may be long or private, is not stored');

select * from finish();
rollback;
