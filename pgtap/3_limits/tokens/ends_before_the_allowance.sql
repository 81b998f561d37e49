begin;
\ir ../../_helpers.sql
select plan(2);

select is(sluice.send_allowance_ms(), 250, 'the window counts on 250 ms between grant and arrival');
select is(sluice.send_within_ms(), 200, 'of which 50 are left for the way to the backend');

select * from finish();
rollback;
