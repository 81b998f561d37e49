-- sluice.model_faults
begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(4);

select given_speaker() as chat, given_speaker('openai-embeddings') as other \gset
select given_route(:'chat') as good, given_route(:'chat', :'other') as mixed \gset
select is(sluice.model_faults(array[:'chat', :'good', :'other', :'mixed', 'nobody', '', 'nobody'],
    'openai-chat', null), jsonb_build_object(
    :'other', format('The model "%s" does not take requests of this endpoint.', :'other'),
    :'mixed', format('The model "%s" does not take requests of this endpoint.', :'mixed'),
    'nobody', 'There is no model "nobody".', '', 'There is no model "".'),
  'not of a model that speaks it, or a route of such; of others, and of none');
insert into sluice.tenants (name, models) values ('tenant ' || pg_backend_pid(), '{}');
select is(sluice.model_faults(array[:'chat'], 'openai-chat', 'tenant ' || pg_backend_pid()),
  jsonb_build_object(:'chat', format('This tenant may not use the model "%s".', :'chat')),
  'one that the tenant may not use');
select is(sluice.model_faults('{}', 'openai-chat', null), '{}', 'no names');

-- looks: how often a step looks at models or routes for a file with so many unknown names.
create function looks(p_count int) returns bigint language plpgsql
as $$
declare
  v_batch sluice.batch := batch_row(batch_over(given_file(array[(
    select string_agg(line_of_batch('c' || n, 'm' || n) || E'\n', '')
    from generate_series(1, p_count) n)])));
  c_looks constant text := $q$select sum(seq_scan + coalesce(idx_scan, 0))
    from pg_stat_xact_user_tables
    where relid in ('sluice.models'::regclass, 'sluice.routes'::regclass)$q$;
  v_before bigint;
  v_after bigint;
begin
  execute c_looks into v_before;
  perform sluice.validate_batch(v_batch, at(1));
  execute c_looks into v_after;
  return v_after - v_before;
end
$$;
select is(looks(90), looks(10), 'all names of a step are looked up at once');

select * from finish();
rollback;
