begin;
\ir ../../_helpers.sql
select plan(2);

-- The plan, not the syntax, makes the order: the sorted outcomes must be the outer side of the
-- join.
select given_model() as m \gset
select given_worker() as w \gset
select given_tasks(:'m', 500) \g /dev/null
select claimed(:w, 500) as ids \gset
create temp table deleted (n serial, task_id bigint) on commit drop;
create function pg_temp.note() returns trigger language plpgsql
as $$ begin insert into deleted (task_id) values (old.task_id); return old; end $$;
grant all on deleted, deleted_n_seq to public;
create trigger note before delete on sluice.lease for each row execute function pg_temp.note();
select sluice.complete(:w, array(select told(t, 'solved') from unnest(:'ids'::bigint[]) t
  order by random()), at(2)) \g /dev/null
select is((select array_agg(task_id order by n) from deleted),
  (select array_agg(task_id order by task_id) from deleted),
  'whatever the order of the outcomes, so no two workers wait for each other in a circle');
select is((select count(*) from deleted), 500::bigint, 'all of them');

select * from finish();
rollback;
