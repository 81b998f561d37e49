begin;
\ir ../../_helpers.sql
select plan(3);

select given_model(rpm => 600) as m \gset
select given_model() as n \gset
select is((select (c.model).rpm from sluice.configuration(array[:'m']) c), 600, 'a model''s row');
select is((select count(*) from sluice.configuration() c where (c.model).name in (:'m', :'n')),
  2::bigint, 'null: all');
select results_eq('select (c.settings).heartbeat_timeout, (c.model).name '
                  'from sluice.configuration(''{}'') c',
  $$values (interval '15 s', null::text)$$, 'without a model the settings alone');

select * from finish();
rollback;
