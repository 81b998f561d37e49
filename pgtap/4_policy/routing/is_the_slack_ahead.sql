-- sluice.share_now, sluice.lead_of
begin;
\ir ../../_helpers.sql
select plan(7);

create function share(p_v float8, p_sum float8) returns int language sql
as $$ select sluice.share_now(row(-1, 1, 1, at(0), p_v, 1, null)::sluice.meter,
  row(-1, 0, 1, at(0), 100, p_sum, null)::sluice.meter, 1, 32) $$;
select is(share(100, 2), 64, 'of two as much as makes 64 more than the half of it');
select is(share(132, 2), 0, 'nothing when it is ahead by that');
select is(share(100, 1), null, 'alone any number');
select is(sluice.lead_of(w, 99), l::float8, 'the lead of a weight of ' || w || ' beside 99')
from (values (1, 1), (33, 32 / 3.0), (99, 32)) v(w, l);
select is(sluice.lead_of(5, null), 32::float8, 'of one that has just left its route');

select * from finish();
rollback;
