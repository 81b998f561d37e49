begin;
\ir ../../_helpers.sql
select plan(3);

select is(sluice.write_row('tenants', 'nobody', '{"weight": 2}', false, '{name,weight,rpm}'), null,
  'none is made');
select is(sluice.write_row('tenants', 't', '{"weight": 2, "rpm": 60}', true,
  '{name,weight,rpm}') ->> 'rpm', '60', 'unless it replaces');
select is(sluice.write_row('tenants', 't', '{"weight": 3}', true, '{name,weight,rpm}')
  - 'id' @> '{"weight": 3, "rpm": null}', true,
  'with defaults for the others');

select * from finish();
rollback;
