begin;
\ir ../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_mark(:'m') as lane \gset
select given_lanes('route_of_nobody', 0);
select sluice.drop_lanes('route_of_nobody');
select is((select count(*) from sluice.lane where line = 'route_of_nobody'), 0::bigint, 'its lanes are gone');
select ok(exists (select from sluice.lane where id = :lane), 'another line''s stay');
select is(sluice.mark(-1), '-infinity'::timestamptz, 'a mark that was dropped just now reads as none');

select * from finish();
rollback;
