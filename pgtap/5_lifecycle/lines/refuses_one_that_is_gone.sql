-- sluice.hold_line
begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
select given_route(:'m') as r \gset
select lives_ok(format('select sluice.hold_line(%s), sluice.hold_line(%s)', id_of(:'m'),
  own_line(:'r')), 'they are there');
select is((error_of('select sluice.hold_line(2000000000)')).code, 'SL001', 'this one is not');

select * from finish();
rollback;
