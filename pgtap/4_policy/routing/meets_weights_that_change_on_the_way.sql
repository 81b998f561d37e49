-- sluice.may_take
begin;
\ir ../../_helpers.sql
\ir _served.sql
select plan(5);

select given_model() as a, given_model() as b, given_model() as c \gset
select given_route(:'a', :'b', :'c') as r \gset
update sluice.routes set weight = case model when :'b' then 40 else 30 end where route = :'r';
select given_worker(array[:'a', :'b', :'c']) as w \gset
-- Two points of 10,000 are four of 3,000.
select given_tasks(:'r', 5000) \g /dev/null
create function gone_to(p_model text) returns bigint language sql
as $$ select count(*) from (select from sluice.lease where model = id_of(p_model)
  union all select from sluice.result
  where model = p_model) x $$;
create function done(p_route text) returns bigint language sql
as $$ select count(*) from sluice.task t where route = p_route
  and not exists (select from sluice.queue q where q.task_id = t.id) $$;
select served(:w, array[:'a', :'b', :'c'], 6, 300) \g /dev/null
select gone_to(:'a') as a1, gone_to(:'b') as b1, done(:'r') as all1 \gset
select ok(:all1 between 1000 and 4000, :all1 || ' have been shared out');
select ok(abs(100.0 * :a1 / :all1 - 30) <= 4 and abs(100.0 * :b1 / :all1 - 40) <= 4,
  '30, 40, 30 % before');
update sluice.routes set weight = case model when :'a' then 60 else 20 end where route = :'r';
select served(:w, array[:'a', :'b', :'c'], 30, 300, 10) \g /dev/null
select gone_to(:'a') - :a1 as a2, gone_to(:'b') - :b1 as b2, done(:'r') - :all1 as all2 \gset
select ok(:all1 + :all2 > 4900, 'all have been shared out');
select ok(abs(100.0 * :a2 / :all2 - 60) <= 4,
  format('60 %% after, also of what was waiting: %s of %s', :a2, :all2));
select ok(abs(100.0 * :b2 / :all2 - 20) <= 4, '20 %');

select * from finish();
rollback;
