begin;
\ir ../../_helpers.sql
select plan(5);

select given_model() as m \gset
select 'sluice.load_' || id_of(:'m') as gauge \gset
update sluice.models set max_unfinished = 100 where name = :'m';
create function accepted(p_max bigint) returns text language sql
as $$
  select coalesce(code, 'taken')
  from error_of(format('select sluice.accept(''model'', %L, 1, %s, 0.85, %L)',
    (select max(id) from sluice.models where name like 'model-' || pg_backend_pid() || '-%'),
      p_max, at(1)))
$$;
select given_tasks(:'m', 3) \g /dev/null
select setval(:'gauge', 84) \g /dev/null
select is(accepted(100), 'taken', 'the gauge, an upper bound, is below');
select is((select pg_sequence_last_value(:'gauge'::regclass)), 85::bigint, 'so nothing is counted');
select is(accepted(100), 'taken', 'counted, there are three');
select is((select pg_sequence_last_value(:'gauge'::regclass)), 4::bigint, 'and this one');
select is(accepted(3), 'SL003', 'which is all of three');

select * from finish();
rollback;
