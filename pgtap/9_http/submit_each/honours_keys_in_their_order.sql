begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
select format('{"prompt": "x", "model": "%s"}', :'m') as body \gset
select format('{"prompt": "y", "model": "%s"}', :'m') as other \gset
create temporary table told as
select * from sluice.submit_each(array[:'body', :'body', :'other', :'body', :'body'],
  array_fill(null::text, array[5]), array['b', 'a', 'b', null, 'b'], p_now => at(0));
select is((select id from told where place = 1), (select id from told where place = 5),
  'one key, one task');
select is((select code from told where place = 3), 'SL008', 'one key, other content');
select is((select count(distinct id) from told), 3::bigint, 'the others are tasks of their own');

select * from finish();
rollback;
