begin;
\ir ../../_helpers.sql
select plan(3);

set local timezone = 'UTC';
select is(sluice.clock_text(at(61), at(0)), '00:01:01', 'today');
select is(sluice.clock_text(at(86400), at(0)), '2040-01-02 00:00:00', 'tomorrow');
select is(sluice.clock_text('infinity', at(0)), 'infinity', 'never');

select * from finish();
rollback;
