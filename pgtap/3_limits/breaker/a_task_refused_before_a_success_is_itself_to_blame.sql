-- sluice.note_health
begin;
\ir ../../_helpers.sql
select plan(3);


select given_model() as m \gset
update sluice.models set backoff_base = '1 microsecond', backoff_max = '1 microsecond'
where name = :'m';
select given_worker() as w \gset
select given_tasks(:'m', 7) as ids \gset
create function refuse(p_worker bigint, p_now numeric) returns int language plpgsql
as $$
begin
  perform sluice.complete(p_worker, array_agg(refused(l.task_id, l.fence)), at(p_now))
    from sluice.lease l where l.worker = p_worker;
  return (select cardinality(r.tasks) from sluice.refusal r);
end
$$;
select claimed(:w, 7) \g /dev/null
select completed(:w, refused((:'ids'::bigint[])[n]), at(2))
from generate_series(1, 3) n \g /dev/null
select completed(:w, told((:'ids'::bigint[])[7], 'solved', answer => 'a'), at(3)) \g /dev/null
select is(refuse(:w, 4), 3, 'three that had not been refused before it count');
select cardinality(claimed(:w, 7, at(11))) \g /dev/null
select is(refuse(:w, 12), 3, 'three that had been do not');
select is((model_row(:'m')).closed_until, null, 'six tasks in a row, but three are to blame');

select * from finish();
rollback;
