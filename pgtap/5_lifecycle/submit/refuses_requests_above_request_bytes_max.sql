begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
update sluice.settings set request_bytes_max = 10;
select lives_ok(format('select sluice.submit(repeat(''x'', 10), %L)', :'m'), 'as large as allowed');
select code, hint from error_of(format('select sluice.submit(repeat(''x'', 11), %L)', :'m')) \gset
select is(:'code'::text, 'SL007', 'a byte more is SL007');
select matches(:'hint'::text, 'request_bytes_max', 'the hint names the setting');
select is((error_of(format('select sluice.submit(repeat(''ä'', 6), %L)', :'m'))).code, 'SL007',
  'bytes count, not characters');

select * from finish();
rollback;
