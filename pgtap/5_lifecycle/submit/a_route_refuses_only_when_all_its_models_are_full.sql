-- sluice.submit
begin;
\ir ../../_helpers.sql
select plan(6);

select given_model() as a, given_model() as b \gset
update sluice.models set max_unfinished = 10 where name in (:'a', :'b');
select given_route(:'a', :'b') as r \gset
select count(given_task(:'a')) from generate_series(1, 10) \g /dev/null
select is((error_of(format('select given_task(%L)', :'a'))).code, 'SL003', 'one model is full');
select lives_ok(format('select given_task(%L) from generate_series(1, 10)', :'r'),
  'its route takes ten, for the other');
select * from error_of(format('select given_task(%L)', :'r')) \gset
select is(:'code'::text, 'SL003', 'then the route is full');
select matches(:'message'::text,
  '^route "' || :'r' || '" is full, for all its models are: "model-.*" has 1\d of 10 unfinished$',
    :'message'::text);
select is((select count(*) from sluice.queue where model = id_of(:'a')), 10::bigint,
  'the full model was given nothing more');
select is((error_of(format('select given_task(%L)', :'b'))).code, 'SL003',
  'what waits in the route counts for its models');

select * from finish();
rollback;
