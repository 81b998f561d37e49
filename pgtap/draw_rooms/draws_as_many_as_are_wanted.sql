begin;
\ir ../_helpers.sql
select plan(4);

select id_of(given_model()) as m \gset
select is(sluice.draw_rooms(:m, 10, 4), 4, 'room for all');
select is(sluice.draw_rooms(:m, 10, null), 0, 'none wanted, none drawn');
select is(sluice.draw_rooms(:m, 10, 8), 6, 'room for the first of them');
select is(sluice.draw_rooms(:m, 10, 1), 0, 'no room');

select * from finish();
rollback;
