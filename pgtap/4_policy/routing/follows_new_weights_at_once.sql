-- sluice.may_take
begin;
\ir ../../_helpers.sql
\ir _served.sql
select plan(3);

select given_model() as a \gset
select given_model() as b \gset
select given_route(:'a', :'b') as r \gset
select given_worker(array[:'a', :'b']) as w \gset
select given_tasks(:'r', 1000) \g /dev/null
update sluice.routes set weight = 0 where route = :'r' and model = :'a';
select served(:w, array[:'a', :'b'], 5, 100) \g /dev/null
select is(share_of(:'b', :'r'), 100.0, 'weight 0: nothing more, though drawn before');
select cmp_ok((select count(*) from sluice.result where model = :'b'), '>', 100::bigint,
  'the other goes on');
update sluice.routes set weight = case model when :'a' then 1 else 0 end where route = :'r';
select served(:w, array[:'a', :'b'], 3, 64, 10) \g /dev/null
select cmp_ok(share_of(:'a', :'r'), '>', 0.0, 'and back');

select * from finish();
rollback;
