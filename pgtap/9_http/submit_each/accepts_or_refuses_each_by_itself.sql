begin;
\set alone
\ir ../../_helpers.sql
select plan(6);

select given_model() as m \gset
create temporary table told as
select * from sluice.submit_each(
  array[format('{"prompt": "a", "model": "%s"}', :'m'),
    '{"prompt": "b", "model": "nobody"}', 'no JSON',
        format('{"prompt": "c", "model": "%s"}', :'m'),
          repeat('[', 100000) || repeat(']', 100000), '[1]'],
  array_fill(null::text, array[6]), array_fill(null::text, array[6]), p_now => at(0));
select results_eq('select place, code from told order by place',
  $$values (1, null), (2, 'SL001'), (3, '22P02'), (4, null), (5, '54001'), (6, 'SL004')$$,
    'each place has its own answer');
select results_eq('select prompt from sluice.tasks where id in (select id from told) order by id',
  $$values ('a'), ('c')$$, 'the good ones are stored');
select is((select count(*) from told where id is null and (message is null or code is null)),
  0::bigint, 'a refusal says why');
select ok((select message not like 'task %' from told where place = 2),
  'without the number it had in the statement');
select ok((select hint <> '' from told where place = 2), 'and has its hint');
select is((select count(*) from sluice.submit_each('{}', '{}', '{}', p_now => at(0))), 0::bigint,
  'none is fine');

select * from finish();
rollback;
