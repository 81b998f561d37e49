begin;
\ir ../../_helpers.sql
select plan(6);

select sluice.create_key('00000000000000aa', sha256('k'), 'k', null, '{submit,read}'),
  sluice.create_key('00000000000000bb', sha256('l'), 'l', null, '{admin}') \g /dev/null
select ok(sluice.acts_as_administrator(), 'an administrator by himself');
select set_config('sluice.api_key', '00000000000000bb', true) \g /dev/null
select ok(sluice.acts_as_administrator(), 'an administrator''s key');
select set_config('sluice.api_key', '00000000000000aa', true) \g /dev/null
select ok(not sluice.acts_as_administrator(), 'not another key');
select set_config('sluice.api_key', '00000000000000cc', true) \g /dev/null
select ok(not sluice.acts_as_administrator(), 'not one that is not there');
set local role sluice_reader;
select set_config('sluice.api_key', '00000000000000bb', true) \g /dev/null
select ok(not sluice.acts_as_administrator(), 'a reader is none with a key');
select set_config('sluice.api_key', '', true) \g /dev/null
select ok(not sluice.acts_as_administrator(), 'nor without');

select * from finish();
rollback;
