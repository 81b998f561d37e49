begin;
\ir ../../_helpers.sql
select plan(1);

select given_model() as m \gset
select results_eq($$select place, code from sluice.submit_places('{1,2,3,4,5,6,7}',
    array(select case when n in (1, 6, 7) then '{}'
      else format('{"prompt": "x", "model": "%s"}', '$$ || :'m' || $$') end
          from generate_series(1, 7) n order by n),
    array_fill(null::text, array[7]), array_fill(null::text, array[7]), null, null, null, at(0))$$,
  $$values (1, 'SL004'), (2, null), (3, null), (4, null), (5, null), (6, 'SL004'), (7, 'SL004')$$,
    'in the order given');

select * from finish();
rollback;
