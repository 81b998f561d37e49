begin;
\ir ../../_helpers.sql
select plan(2);

select matches(sluice.lease_text('select of rows'),
  'as materialized \(select of rows\)', 'it picks as it is told');
select matches(sluice.lease_text(''),
  'delete from sluice\.queue_%1\$s .* insert into sluice\.lease',
  'and moves from the line to be named');

select * from finish();
rollback;
