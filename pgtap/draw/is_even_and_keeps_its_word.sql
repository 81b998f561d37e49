begin;
\ir ../_helpers.sql
select plan(5);

select is(sluice.draw(17, 0), sluice.draw(17, 0), 'a task draws the same each time');
select isnt(sluice.draw(17, 0), sluice.draw(17, 1), 'but a retry draws anew');
select ok(min(d) >= 0 and max(d) < 1, 'in [0, 1)') from (select sluice.draw(n, 0) d from generate_series(1, 10000) n) x;
select ok(max(abs(c - 1000)) < 150, 'evenly, for ids in a row')
from (select count(*) c from generate_series(1, 10000) n group by floor(sluice.draw(n, 3) * 10)) x;
select ok(max(abs(share - 0.3)) < 0.02, 'within two points in every 10,000: ' || max(abs(share - 0.3))::numeric(6, 4))
from (select avg((sluice.draw(n, 0) < 0.3)::int) as share from generate_series(10000, 1009999) n group by n / 10000) x;

select * from finish();
rollback;
