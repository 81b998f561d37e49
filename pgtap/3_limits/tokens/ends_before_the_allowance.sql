begin;
\ir ../../_helpers.sql
select plan(5);

select is(sluice.send_allowance_ms(), 250, 'the window counts on 250 ms between grant and arrival');
select is(sluice.send_within_ms(), 200, 'of which 50 are left for the way to the backend');
select set_config('sluice.send_within_ms', '900', true) \g /dev/null
select is(sluice.send_within_ms(), 900, 'a worker may ask for longer');
select set_config('sluice.send_within_ms', '1', true) \g /dev/null
select is(sluice.send_within_ms(), sluice.send_within_min_ms(), 'but not for less');
select cmp_ok(sluice.send_within_max_ms(), '<', 15000, 'nor for as long as a lost worker takes');

select * from finish();
rollback;
