begin;
\ir ../_helpers.sql
select plan(5);

select given_model() as m \gset
select given_model() as n \gset
select given_route(:'m', :'n') as r \gset
select cardinality(given_tasks(:'r', 10000)) as made \gset
select is(:made, 10000, '10,000 ids');
select is((select count(*) from sluice.queue where model = id_of(:'m')), 100::bigint, 'the small queue is full, not fuller');
select cmp_ok((select count(*) from sluice.queue where model = id_of(:'n')), '>', 4500::bigint, 'the large one has its half');
select is((select count(*) from sluice.queue where model in (id_of(:'m'), id_of(:'n')))
        + (select count(*) from sluice.backlog where route = :'r'), 10000::bigint, 'each is in one place');
select is((select count(*) from sluice.backlog where route = :'r' and model is not null), 0::bigint,
  'what waits will be routed anew');

select * from finish();
rollback;
