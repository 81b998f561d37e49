-- sluice.is_bound
-- The attack: a session sees how many rows its queries fetched (pg_stat_xact_all_tables), and so
-- learned which models another tenant had used, and which idempotency keys.
begin;
\set alone
\ir ../_helpers.sql
\ir ../_history.sql
select plan(6);

select given_model() as m \gset
select given_looks();
select given_tenant('sluice_submitter') as one, given_tenant('sluice_submitter') as two \gset
select given_end(:'m', 'solved', at(10), p_tenant => t) from unnest(array[:'one', :'two']) t
  \g /dev/null
select sluice.submit('x', :'m', tenant => :'two', idempotency_key => 'secret') \g /dev/null
select sluice.count_ends(at(60)) \g /dev/null

create function read_of(p_table text) returns bigint language sql
as $$ select coalesce(sum(idx_tup_fetch + seq_tup_read), 0)::bigint from pg_stat_xact_all_tables
  where schemaname = 'sluice' and relname = p_table $$;
-- fetched: how many rows of a table p_query fetches.
create function fetched(p_table text, p_query text) returns bigint language plpgsql
as $$
declare
  v_before bigint := read_of(p_table);
begin
  begin
    execute p_query;
  exception when sqlstate 'SL004' or sqlstate 'SL009' then
    null;
  end;
  return read_of(p_table) - v_before;
end
$$;
create function of_history(p_tenant text, p_model text) returns text language sql
as $$ select format('select from sluice.history_of(''hour'', at(-3600), at(3600), model => %L, '
  'tenant => %L)', p_model, p_tenant) $$;
create function of_keys(p_tenant text, p_model text) returns text language sql
as $$ select format('select from sluice.history_of_keys(''hour'', at(-3600), at(3600), '
  'model => %L, tenant => %L)', p_model, p_tenant) $$;
create function of_key(p_tenant text, p_model text) returns text language sql
as $$ select format('select sluice.submit(''x'', %L, tenant => %L, idempotency_key => ''secret'', '
  'deadline => ''2020-01-01'')', p_model, p_tenant) $$;
grant usage on schema :test_schema to public;

set local role :"one";
select cmp_ok(fetched('history_row', of_history(:'one', :'m')), '>', 0::bigint, 'of its own');
select is(fetched('history_row', of_history(:'two', :'m')), 0::bigint, 'none of another''s');
select is(fetched('key_history_row', of_keys(:'two', :'m')), 0::bigint, 'nor by key');
select is(fetched('history_row', regexp_replace(of_history(:'one', :'m'), '.$', ' collate "C")')),
  fetched('history_row', of_history(:'one', :'m')), 'whatever the collation');
select is(fetched('idempotency', of_key(:'two', :'m')), 0::bigint, 'nor of its idempotency keys');
reset role;
set local role :"two";
select cmp_ok(fetched('idempotency', of_key(:'two', :'m')), '>', 0::bigint, 'of its own');
reset role;

select * from finish();
rollback;
