begin;
\ir ../_helpers.sql
select plan(4);

select given_model() as m \gset
select results_eq(format('select sluice.draw_room(%s, false) from generate_series(1, 3)', id_of(:'m')),
  array[0, 1, 2]::bigint[], 'the first number is 0');
select cmp_ok(sluice.draw_room(id_of(:'m'), true), '>', 1000000::bigint, 'who waits for its time finds no room');
select is(sluice.draw_room(id_of(:'m'), false), 3::bigint, 'and draws none');
select id_of(:'m') as id \gset
set constraints all immediate;
delete from sluice.models where name = :'m';
select is((error_of(format('select sluice.draw_room(%s, false)', :id))).code, 'SL001', 'a deleted model is SL001');

select * from finish();
rollback;
