begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
select set_eq(format('select place, code from sluice.submit_places(array[3, 1], %1$L, %2$L, %2$L, '
                     'null, null, null, at(0))',
  array[format('{"prompt": "x", "model": "%s"}', :'m'), 'not looked at',
    '{"prompt": "x", "model": "nobody''s"}'],
  array_fill(null::text, array[3])),
  $$values (1, null), (3, 'SL001')$$, 'each by its place');
select is((select count(*) from sluice.tasks where model = :'m'), 1::bigint, 'one was accepted');

select * from finish();
rollback;
