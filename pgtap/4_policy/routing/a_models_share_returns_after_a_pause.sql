-- sluice.may_take
begin;
\ir ../../_helpers.sql
\ir _served.sql
select plan(2);

select given_model() as a, given_model() as b \gset
select given_route(:'a', :'b') as r \gset
select given_worker(array[:'a', :'b']) as w \gset
select given_tasks(:'r', 5000) \g /dev/null
create function solved_by(p_model text) returns bigint language sql as $$ select count(*)
  from sluice.result where model = p_model $$;
update sluice.models set paused = true where name = :'a';
select served(:w, array[:'a', :'b'], 10, 200) \g /dev/null
select solved_by(:'a') as a1, solved_by(:'b') as b1 \gset
select ok(:a1 = 0 and :b1 > 500, 'the other takes all meanwhile');
update sluice.models set paused = false where name = :'a';
select served(:w, array[:'a', :'b'], 10, 200, 10) \g /dev/null
select solved_by(:'a') - :a1 as a2, solved_by(:'b') - :b1 as b2 \gset
select ok(:a2 > 500 and abs(100.0 * :a2 / (:a2 + :b2) - 50) <= 15,
  format('then half again, nothing made up for: %s and %s', :a2, :b2));

select * from finish();
rollback;
