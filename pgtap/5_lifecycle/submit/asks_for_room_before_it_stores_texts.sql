-- sluice.submit_drafts
begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
update sluice.models set max_unfinished = 1 where name = :'m';
create function noted() returns trigger
  language plpgsql as $$ begin raise exception 'a text is stored' using errcode = '40P01'; end $$;
create trigger noted before insert on sluice.task for each row execute function noted();
create function stored(p_count int) returns text language sql
as $$
  select coalesce(code, 'taken') from error_of(format('select sluice.submit_many(%L)', (
    select jsonb_agg(jsonb_build_object('prompt', 'x', 'model', m.name))
    from generate_series(1, p_count), (
      select max(name) as name from sluice.models
      where name like 'model-' || pg_backend_pid() || '-%') m)))
$$;
select is(stored(1), '40P01', 'where there is room they are stored');
select is(stored(2), 'SL003', 'else none is');
select is(stored(2), 'SL003', 'however often');

select * from finish();
rollback;
