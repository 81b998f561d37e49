begin;
\ir ../../_helpers.sql
select plan(6);

select is((sluice.read_record(null::sluice.closing,
  '{"until": "2030-01-01T00:00:00Z", "reason": "r"}')).until, '2030-01-01T00:00:00Z', 'a row');
select is((sluice.read_record(null::sluice.closing, '{}')).reason, null, 'nothing is needed');
select is((sluice.read_record(null::sluice.new_key, '{"scopes": ["read"]}')).scopes, '{read}',
  'an array');
select throws_ok($$select sluice.read_record(null::sluice.closing, '{"until": "soon"}')$$, 'SL004',
  'until "soon" is not a time', 'no time');
select throws_ok($$select sluice.read_record(null::sluice.new_key, '{"scopes": 7}')$$, 'SL004',
  null, 'no array');
select throws_ok($$select sluice.read_record(null::sluice.closing, '{"when": 1}')$$, 'SL004',
  'unknown key "when"', 'unknown');

select * from finish();
rollback;
