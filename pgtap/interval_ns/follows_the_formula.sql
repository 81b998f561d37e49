begin;
\ir ../_helpers.sql
select plan(2);

select is(sluice.interval_ns(600, 7), ceil(60250000000 / 594.0)::bigint, '(W + d) / (N - b + 1), rounded up');
select is(sluice.interval_ns(1, 1), 60250000000, 'one a minute');

select * from finish();
rollback;
