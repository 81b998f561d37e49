begin;
\ir ../../_helpers.sql
select plan(1);

select setseed(0.5);
select given_model() as a \gset
select given_model() as b \gset
select given_worker() as w \gset
select given_tasks(:'a', 100), given_tasks(:'b', 100) \g /dev/null
select is((select count(distinct (select c.model from sluice.claim(:w, null, 1, at(1 + n)) c))
  from generate_series(1, 30) n), 2::bigint, 'thirty claims of one task serve both models');

select * from finish();
rollback;
