-- How many files and open batches a tenant may have, and how many bytes the files of all take.

-- count_files_bytes: what the files of all take, of each tenant's at most its limit: output of
-- batches beyond that is no reason to refuse other tenants.
create or replace function sluice.count_files_bytes() returns bigint
language sql stable
as $$
  select coalesce(sum(least(h.bytes, l.files_bytes_max)), 0)::bigint
  from (select coalesce(f.tenant, 'default') as tenant, coalesce(sum(f.bytes), 0) as bytes
    from sluice.file f group by 1) h
  cross join lateral sluice.limits_of(h.tenant) l
$$;

-- all_files_bytes: the same as last counted: a second ago at most, or 100 times as long ago as
-- counting takes (30 ms with 100,000 files). Others take the last count meanwhile.
create or replace function sluice.all_files_bytes() returns bigint
language plpgsql volatile
as $$
declare
  v_now timestamptz := clock_timestamp();
begin
  if sluice.is_due('sluice.files_after', interval '1 hour', v_now) then
    perform setval('sluice.files_after', sluice.micros(v_now + interval '1 minute')),
      setval('sluice.files_bytes', sluice.count_files_bytes());
    perform setval('sluice.files_after', sluice.micros(v_now + least(interval '30 minutes',
      greatest(interval '1 second', 100 * (clock_timestamp() - v_now)))));
  end if;
  return coalesce(pg_sequence_last_value('sluice.files_bytes'::regclass), 0);
end
$$;

-- accept_files: whether the tenant may begin an upload or a batch that makes p_files more files.
-- The output files of its open batches count already, because they are never refused: the calls
-- have been paid for. Files under way have no bytes yet, so an upload of 200 MB, and the output of
-- all open batches, may exceed files_bytes_max. A file counts for each open batch that reads it:
-- what is noted of its lines takes up to six times as much.
-- Params:  p_tenant: null: none.
-- Errors:  SL003 all files take files_bytes_max(); SL005 the tenant's limit.
create or replace function sluice.accept_files(p_tenant text, p_files int) returns void
language plpgsql volatile
as $$
declare
  v_tenant text := coalesce(p_tenant, 'default');
  v_limits sluice.tenant_limits := (select l from sluice.limits_of(v_tenant) l);
  v_files bigint;
  v_bytes bigint;
  v_to_come bigint;
  v_copied bigint;
begin
  select count(*), coalesce(sum(f.bytes), 0) into v_files, v_bytes
  from sluice.file f where coalesce(f.tenant, 'default') = v_tenant;
  select coalesce(sum(b.files), 0), coalesce(sum((b.batches - 1) * f.bytes), 0)
  into v_to_come, v_copied
  from (select b.input_file, count(*) as batches, sum((b.output_file is null)::int
      + (b.error_file is null and b.endpoint <> '/v1/messages')::int) as files
    from sluice.batch b where b.phase <> 'done' and coalesce(b.tenant, 'default') = v_tenant
    group by 1) b
  left join sluice.file f on f.id = b.input_file;
  if v_files + v_to_come + p_files > v_limits.max_files then
    raise exception 'tenant "%" has % files%, of % that it may have', v_tenant, v_files,
      case when v_to_come > 0 then format(' and %s to come of its batches', v_to_come)
        else '' end, v_limits.max_files
      using errcode = 'SL005',
        hint = case when p_files > 1 then format('A batch needs %s. ', p_files) else '' end
        || 'Delete some: DELETE /v1/files/{id}. Or raise sluice.tenants.max_files (for all: '
           'sluice.settings.tenant_max_files).';
  elsif v_bytes + v_copied >= v_limits.files_bytes_max then
    raise exception 'the files of tenant "%" take % bytes%, of % that they may take', v_tenant,
      v_bytes, case when v_copied > 0 then format(', and %s where several open batches read one',
        v_copied) else '' end, v_limits.files_bytes_max
      using errcode = 'SL005',
        hint = 'Delete some: DELETE /v1/files/{id}. Or raise sluice.tenants.files_bytes_max '
        || '(for all: sluice.settings.tenant_files_bytes_max).';
  elsif sluice.all_files_bytes() >= sluice.files_bytes_max() then
    raise exception 'the files take % bytes', sluice.files_bytes_max() using errcode = 'SL003',
      hint = 'Delete some: DELETE /v1/files/{id}.';
  end if;
end
$$;

-- batches_kept_max: of how many of its batches a tenant sees what became of them.
create or replace function sluice.batches_kept_max() returns int
language sql immutable parallel safe
as $$ select 10000 $$;

-- drop_oldest_batches: deletes the oldest batches of a tenant that have ended, where it has more
-- than batches_kept_max; 100 at most. What one leaves may have 50 kB.
create or replace function sluice.drop_oldest_batches(p_tenant text) returns void
language plpgsql volatile
as $$
begin
  delete from sluice.batch b where b.id in (
    select o.id from sluice.batch o
    where coalesce(o.tenant, 'default') = p_tenant and o.phase = 'done' and o.id <= (
      select k.id from sluice.batch k where coalesce(k.tenant, 'default') = p_tenant
      order by k.id desc offset sluice.batches_kept_max() limit 1)
    order by o.id limit 100 for update skip locked);
end
$$;

-- accept_batch: whether the tenant may begin another batch, which makes two files: of its results
-- and errors or, of messages, of its requests and results.
-- Params:  p_tenant: null: none.
-- Errors:  SL003, SL005 as above; SL005 too many are open.
create or replace function sluice.accept_batch(p_tenant text) returns void
language plpgsql volatile
as $$
declare
  v_tenant text := coalesce(p_tenant, 'default');
  v_max int := (select l.max_batches from sluice.limits_of(v_tenant) l);
  v_open bigint := (select count(*) from sluice.batch b where b.phase <> 'done'
    and coalesce(b.tenant, 'default') = v_tenant);
begin
  if v_open >= v_max then
    raise exception 'tenant "%" has % open batches, of % that it may have', v_tenant, v_open, v_max
      using errcode = 'SL005',
      hint = 'Wait until one has ended and try again in about 60 s, cancel one, '
             'or raise sluice.tenants.max_batches '
        || '(for all: sluice.settings.tenant_max_batches).';
  end if;
  perform sluice.accept_files(p_tenant, 2);
  -- now and then, for it counts them
  perform sluice.drop_oldest_batches(v_tenant) where random() < 0.05;
end
$$;

-- files_bytes_max: the most bytes of all files together when an upload or a batch begins: they
-- share a disk with the queue.
create or replace function sluice.files_bytes_max() returns bigint
language sql immutable parallel safe
as $$ select 53687091200 $$;
