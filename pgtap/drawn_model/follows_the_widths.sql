begin;
\ir ../_helpers.sql
select plan(4);

create function share() returns sluice.route_share language sql as $$ select row('r', null, '{7,9}', '{1,4}')::sluice.route_share $$;
select count(*) filter (where sluice.drawn_model(share(), n, 0) = 7) as few,
  count(*) filter (where sluice.drawn_model(share(), n, 0) = 9) as many from generate_series(1, 4000) n \gset
select is(:few + :many, 4000, 'always one of them');
select ok(:few between 860 and 1140, :few || ' of 4000: five standard deviations around a quarter');
select is_empty('select from generate_series(1, 100) n where sluice.drawn_model(share(), n, 1) <> sluice.drawn_model(share(), n, 1)',
  'each time the same');
select is(sluice.drawn_model(row('r', null, null, null)::sluice.route_share, 1, 0), null, 'of none none');

select * from finish();
rollback;
