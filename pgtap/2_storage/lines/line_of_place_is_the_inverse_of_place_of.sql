-- sluice.line_of_place
begin;
\ir ../../_helpers.sql
select plan(3);

select is(sluice.line_of_place(sluice.place_of(l)), nullif(l, 0), format('line %s', l))
from unnest(array[7, -7, 0]) l;

select * from finish();
rollback;
