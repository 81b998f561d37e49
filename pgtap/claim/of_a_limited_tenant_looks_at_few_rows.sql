begin;
\ir ../_helpers.sql
select plan(2);

select given_model() as m \gset
select given_tenant(rpm => 60) as t \gset
select given_worker() as w \gset
select sluice.submit_many((select jsonb_agg(jsonb_build_object('prompt', 'q', 'model', :'m', 'tenant', :'t'))
  from generate_series(1, 500) n), at(0)) \g /dev/null
select claimed(:w, 10, at(1)) \g /dev/null
select is((select count(*) from sluice.queue where model = id_of(:'m')), 500::bigint - 40, '4 for each one wanted');
select is((select count(*) from sluice.backlog where tenant = :'t'), 39::bigint, 'all but the one that had a permit were sent back');

select * from finish();
rollback;
