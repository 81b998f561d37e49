-- sluice.submit
begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_route(:'m') as r \gset
delete from sluice.ready_line where line = id_of(:'m');
select given_task(:'r', run_at => at(60)) as later \gset
select is(places(:later), 'later', 'it waits in its route');
select is((select count(*) from sluice.ready_line where line = id_of(:'m')), 0::bigint,
  'and no model is noted for it');
select given_task(:'r') \g /dev/null
select is((select count(*) from sluice.ready_line where line = own_line(:'r')), 1::bigint,
  'its route''s line is');

select * from finish();
rollback;
