begin;
\ir ../../_helpers.sql
select plan(5);

select given_model() as m \gset
create function submitted(p_now timestamptz, p_key text default null) returns text language plpgsql
as $$
declare
  v_key text;
begin
  return sluice.submit('x',
    (select max(name) from sluice.models where name like 'model-' || pg_backend_pid() || '-%'),
    deadline => at(5), idempotency_key => p_key, p_now => p_now);
exception when sqlstate 'SL004' then
  get stacked diagnostics v_key = column_name;
  return v_key;
end
$$;
select is(submitted(at(5)), 'deadline', 'it names the argument');
select isnt(submitted(at(4)), 'deadline', 'one to come is fine');
select alike((error_of(format($$
  select sluice.submit_many('[{"prompt": "x", "model": "%s", '
                            '"deadline": "2020-01-01T00:00:00Z"}]')$$, :'m'))).message,
  'task 1: deadline "2020-01-01T00:00:00+00:00" is past: it is "20%', 'in bulk, too');
select submitted(at(4), 'k' || :'m') as first \gset
select is(submitted(at(6), 'k' || :'m'), :'first', 'a submit that is repeated finds its task');
select is(submitted(at(6), 'l' || :'m'), 'deadline', 'another key does not');

select * from finish();
rollback;
