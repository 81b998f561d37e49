begin;
\ir ../../_helpers.sql
select plan(1);

select given_model() as m \gset
select given_worker() as w \gset
select given_task(:'m', priority => p, p_now => at(p + 200))
from generate_series(-100, 100) p \g /dev/null
select given_mark(:'m', at(0), r) from unnest(array[-100, -50, 0, 1, 50, 100]) r \g /dev/null
select is((select array_agg(claim)
    from (select unnest(claimed(:w, 10, at(301))) as claim from generate_series(1, 30)) c),
  (select array_agg(t.id order by t.priority desc) from sluice.task t where t.model = id_of(:'m')),
  'ten by ten over lanes with and without marks: every task, once, in order');

select * from finish();
rollback;
