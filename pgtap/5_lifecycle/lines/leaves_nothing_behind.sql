begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
select given_route(:'m') as r \gset
create function dropped(p_line int) returns void
  language sql security definer as $$ select sluice.drop_line(p_line) $$;
alter function dropped owner to sluice_owner;
grant usage on schema :test_schema to sluice_owner;
select own_line(:'r') as line \gset
select given_mark(:'r', at(0)), sluice.notify_ready(:line), dropped(:line) \g /dev/null
select hasnt_table('sluice', ('queue_' || sluice.line_name(:line))::name, 'no table');
select is((select count(*) from sluice.mark where line = :line) + (select count(*)
  from sluice.ready_line where line = :line), 0::bigint, 'no mark, no note');

select * from finish();
rollback;
