begin;
\ir ../../_helpers.sql
select plan(3);

create function share(p_v float8, p_sum float8) returns int language sql
as $$ select sluice.share_now(row(-1, 1, 1, at(0), p_v, 1, null)::sluice.meter,
  row(-1, 0, 1, at(0), 100, p_sum, null)::sluice.meter, 1) $$;
select is(share(100, 2), 64, 'of two as much as makes 64 more than the half of it');
select is(share(132, 2), 0, 'nothing when it is ahead by that');
select is(share(100, 1), null, 'alone any number');

select * from finish();
rollback;
