begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
create function checked(p_request text, p_cut boolean) returns text language plpgsql
as $$
begin
  perform sluice.check_drafts(
    array[sluice.draft_of(jsonb_populate_record(null::sluice.task_draft, jsonb_build_object(
    'model', (select max(name) from sluice.models
      where name like 'model-' || pg_backend_pid() || '-%'), 'request', p_request)))],
    p_cut, at(1));
  return 'fine';
exception when others then
  return sqlstate;
end
$$;
select is(checked('{', false), 'SL004', 'another one is');
select is(checked('{', true), 'fine', 'it is JSON, says the caller');
update sluice.settings set request_bytes_max = 10;
select is(checked('{"a": "0123456789"}', true), 'SL007', 'but not that it is small enough');

select * from finish();
rollback;
