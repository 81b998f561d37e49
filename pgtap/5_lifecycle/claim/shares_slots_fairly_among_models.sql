begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as a \gset
select given_model() as b \gset
select given_model() as c \gset
select given_worker() as w \gset
select given_tasks(:'a', 100), given_tasks(:'b', 100), given_tasks(:'c', 5) \g /dev/null
create temp table got on commit drop as
select model, count(*) as n from sluice.claim(:w, null, 60, at(1)) group by model;
select is((select sum(n) from got), 60::numeric, 'every slot is used');
select is((select n from got where model = :'c'), 5::bigint, 'who has little gives all of it');
select cmp_ok((select min(n) from got where model <> :'c'), '>=', 20::bigint,
  'each of the others has at least its third');

select * from finish();
rollback;
