-- sluice.caller_key
begin;
\ir ../../_helpers.sql
select plan(4);

select is(sluice.caller_key(), null::text, 'none');
select set_config('sluice.api_key', '00000000000000aa', true) \g /dev/null
select is(sluice.caller_key(), '00000000000000aa', 'one');
select set_config('sluice.api_key', repeat('a', 100), true) \g /dev/null
select is(sluice.caller_key(), repeat('a', 16), 'no more of it than a key''s id has');
select set_config('sluice.api_key', '', true) \g /dev/null
select is(sluice.caller_key(), null::text, 'an empty one is none');

select * from finish();
rollback;
