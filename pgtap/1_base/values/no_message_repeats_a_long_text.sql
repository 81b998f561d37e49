begin;
\ir ../../_helpers.sql
select plan(8);

-- PostgreSQL's log and the client would have all of it.
select given_model() as m \gset
create function column_of(p_sql text) returns text language plpgsql
as $$
declare
  v_column text;
begin
  execute p_sql;
  return 'none';
exception when others then
  get stacked diagnostics v_column = column_name;
  return v_column;
end
$$;
select ok(octet_length(e.message) between 200 and 300, of)
from (values ('a key', 'check_columns(jsonb_build_object(%L, 1), ''{a}'')'),
  ('a model', 'require_model(%L)'), ('a kind of row', 'configure(%L, ''x'', ''{}'', true)'),
  ('a name beside the path''s',
    'configure(''models'', ''x'', jsonb_build_object(''name'', %L, ''url'', ''http://h''), true)'),
  ('a route''s model', 'configure_route(''r'', jsonb_build_object(%L, 1))'),
    ('a window', 'window_of(%L)'),
  ('a file''s id',
    'create_batch(json_build_object(''endpoint'', ''/v1/embeddings'', ''input_file_id'', '
    '%L)::text, ''t'')')) c (of, call),
  error_of(format('select sluice.' || c.call, repeat('x', 3000000))) e;
select is(octet_length(column_of(format('select sluice.check_columns(jsonb_build_object(%L, '
  '1), ''{a}'')', repeat('x', 3000000)))), 200,
  'nor does COLUMN');

select * from finish();
rollback;
