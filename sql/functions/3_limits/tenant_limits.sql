-- What one tenant may have and ask for. Its row in sluice.tenants says so, where that is silent
-- sluice.settings.tenant_…, and where both are there is no limit. Read here alone
-- (sluice.limits_of); each is applied where the thing begins: tasks in submit and in submit_many,
-- files and batches where they are made.
--
-- "default", the tenant of tasks without one, is most installations' only one: without a row it is
-- bounded by the system alone in tasks, priorities and models. Files and batches without a tenant
-- count as its.

-- limits_of: what holds for tenant p_tenant; one row. Inlined. The settings' most of unfinished
-- tasks is not counted at a submit: is_full says whether the tenant had so many when all were
-- looked at (look_at_tenants).
create or replace function sluice.limits_of(p_tenant text) returns setof sluice.tenant_limits
language sql stable rows 1
as $$
  select
    t.max_unfinished, coalesce(t.max_batches, s.tenant_max_batches),
      coalesce(t.max_files, s.tenant_max_files),
    coalesce(t.files_bytes_max, s.tenant_files_bytes_max),
    coalesce(t.max_priority, case when p_tenant <> 'default' then s.tenant_max_priority end),
    coalesce(t.models, case when p_tenant <> 'default' then s.tenant_models end), t.tpm,
    s.max_tenants is null or t.name is not null or p_tenant = 'default'
      or exists (select from sluice.unlisted_tenant u where u.tenant = p_tenant)
      or exists (select from sluice.api_key k where k.tenant = p_tenant and k.revoked_at is null),
    t.max_unfinished is null
      and exists (select from sluice.full_tenant f where f.tenant = p_tenant
        and f.tasks >= s.tenant_max_unfinished)
  from sluice.settings s left join sluice.tenants t on t.name = p_tenant
$$;

-- exceeds: whether a task of this priority, for this model or route, is more than these limits let
-- a tenant ask for.
create or replace function sluice.exceeds(
  p_limits sluice.tenant_limits, p_priority int, p_name text)
returns boolean
language sql immutable parallel safe
as $$ select coalesce(p_priority > p_limits.max_priority, false)
  or coalesce(p_name <> all (p_limits.models), false) $$;

-- refuse_excess: says what it is that exceeds() found. Errors: SL004 the priority, SL009 the model
-- or route.
create or replace function sluice.refuse_excess(p_tenant text, p_priority int, p_name text)
returns void
language plpgsql stable
as $$
declare
  v_limits sluice.tenant_limits := (select l from sluice.limits_of(p_tenant) l);
begin
  if p_priority > v_limits.max_priority then
    raise exception 'priority % is above %, the highest for tenant "%"', p_priority,
      v_limits.max_priority, p_tenant
      using errcode = 'SL004', column = 'priority',
        hint = 'Ask for less, or raise sluice.tenants.max_priority (for all: '
               'sluice.settings.tenant_max_priority).';
  end if;
  raise exception 'tenant "%" may not use "%"', p_tenant, p_name using errcode = 'SL009',
    column = 'model', hint = case when v_limits.models = '{}' then 'It may use no model.'
      else 'It may use ' || array_to_string(v_limits.models[:20], ', ')
        || case when cardinality(v_limits.models) > 20
        then format(' and %s more', cardinality(v_limits.models) - 20) else '' end || '.' end
      || ' See sluice.tenants.models, and sluice.settings.tenant_models.';
end
$$;

-- are_limited: whether some tenant's priorities or models are.
create or replace function sluice.are_limited() returns boolean
language plpgsql stable
as $$
begin
  return (select s.tenant_max_priority is not null or s.tenant_models is not null
    or exists (select from sluice.tenants where max_priority is not null or models is not null)
      from sluice.settings s);
end
$$;

-- note_tenants: notes new tenants, of whom settings.max_tenants may have tasks: those without a
-- row, and without a key of their own, which somebody made for them (limits_of). Two transactions
-- may note the same one: only who seems to be too much is counted exactly.
-- Errors:  SL005 there are so many; SL009 it is 0: known ones alone.
create or replace function sluice.note_tenants(p_tenants text[]) returns void
language plpgsql volatile
as $$
declare
  v_max int := (select s.max_tenants from sluice.settings s);
  v_count bigint := (select count(*) from sluice.unlisted_tenant);
begin
  if v_count + cardinality(p_tenants) > v_max then
    v_count := (select count(*) from (select distinct u.tenant from sluice.unlisted_tenant u) u);
  end if;
  if v_count + cardinality(p_tenants) > v_max then
    raise exception
      'tenant "%" is new, and % tenants without a row in sluice.tenants have tasks already',
      (select min(t) from unnest(p_tenants) t), v_count
      using errcode = case when v_max = 0 then 'SL009' else 'SL005' end, column = 'tenant',
        hint = 'Give it a row: insert into sluice.tenants. Or raise sluice.settings.max_tenants = '
          || v_max || '.';
  end if;
  insert into sluice.unlisted_tenant (tenant, noted_at) select t, clock_timestamp()
  from unnest(p_tenants) t;
end
$$;

-- refuse_full_tenant: SL005 for a tenant whose limits say is_full.
create or replace function sluice.refuse_full_tenant(p_tenant text) returns void
language plpgsql stable
as $$
begin
  raise exception 'tenant "%" is at its cap: % unfinished', p_tenant, (
      select coalesce(f.tasks, s.tenant_max_unfinished) || ' of ' || s.tenant_max_unfinished
      -- which may be gone by now
      from sluice.settings s left join sluice.full_tenant f on f.tenant = p_tenant)
    using errcode = 'SL005',
      hint = 'Wait until some of its tasks have ended, or cancel some: '
             'they are counted now and then. Or raise '
      || 'sluice.tenants.max_unfinished (for all: sluice.settings.tenant_max_unfinished).';
end
$$;

-- look_at_tenants: counts the tasks of all tenants, once a minute, once a second while one has the
-- most that it may have, and at most for a hundredth of the time: no submit has to. What comes
-- between two looks is not counted: by so much a tenant may pass its most. Reads every place.
-- Called by the sweep, which is alone, and goes on if a look fails.
create or replace function sluice.look_at_tenants(p_now timestamptz) returns void
language plpgsql volatile
as $$
declare
  v_started timestamptz := clock_timestamp();
  v_due timestamptz :=
    sluice.from_micros(coalesce(pg_sequence_last_value('sluice.tenants_after'::regclass), 0));
  v_max bigint := (select s.tenant_max_unfinished from sluice.settings s);
  v_pause interval := interval '1 minute';
begin
  -- further ahead than any look sets: the clock was set back
  if p_now < v_due and v_due < p_now + interval '1 hour'
     or not exists (select from sluice.unlisted_tenant)
       and not exists (select from sluice.full_tenant)
       and (coalesce(sluice.gauge_usage('sluice.load_all', true), 0) < v_max) is not false then
    return;
  end if;
  -- also if this is cancelled
  perform setval('sluice.tenants_after', sluice.micros(p_now + v_pause));
  begin
    perform sluice.count_tenants(v_max, p_now);
    perform sluice.refresh_gate(false);
    v_pause := case when exists (select from sluice.full_tenant) then interval '1 second'
      else v_pause end;
  exception when others then
    raise warning 'the tasks of the tenants could not be counted: SQLSTATE %', sqlstate;
  end;
  perform setval('sluice.tenants_after', sluice.micros(
    p_now + least(greatest(v_pause, 100 * (clock_timestamp() - v_started)),
      interval '30 minutes')));
end
$$;

-- count_tenants: notes which tenants have p_max tasks or more (null: none may be full), and forgets
-- of the noted new ones those that have no tasks any more, a row or a key by now, or were noted
-- twice.
create or replace function sluice.count_tenants(p_max bigint, p_now timestamptz) returns void
language plpgsql volatile
set enable_seqscan = on set enable_hashjoin = on set enable_hashagg = on set jit = off
as $$
begin
  with held as materialized (
    select p.tenant, count(*) as tasks
    from (select tenant from sluice.later union all select tenant from sluice.queue
      union all select tenant from sluice.lease) p
    group by p.tenant),
  noted as (
    select u.ctid as place, u.tenant, u.noted_at,
      row_number() over (partition by u.tenant order by u.noted_at desc) as nth
    from sluice.unlisted_tenant u),
  forgotten as (
    delete from sluice.unlisted_tenant u
    using noted n left join held h on h.tenant = n.tenant
      left join sluice.tenants t on t.name = n.tenant
      left join (select distinct tenant from sluice.api_key where revoked_at is null) k
        on k.tenant = n.tenant
    where u.ctid = n.place
      and (n.nth > 1 or t.name is not null or k.tenant is not null or h.tenant is null
        and n.noted_at < p_now - interval '1 minute')),
  stored as (
    insert into sluice.full_tenant as f select h.tenant, h.tasks from held h where h.tasks >= p_max
      and h.tenant <> 'default'
    on conflict (tenant) do update set tasks = excluded.tasks where f.tasks <> excluded.tasks)
  delete from sluice.full_tenant f
  where not exists (select from held h where h.tenant = f.tenant and h.tasks >= p_max);
end
$$;

-- accept_files: whether the tenant may begin what makes p_files more files: an upload, or a batch.
-- What its open batches are to put out counts as files already, for it is never refused: it has
-- been paid for. Of the bytes of all tenants' files each counts for no more than it may have: what
-- its batches put out beyond is no reason to refuse another. What is under way has no bytes yet: an
-- upload's 200 MB, and all that open batches put out, may pass files_bytes_max.
-- Params:  p_tenant: null: of none. Errors: SL003 all files take files_bytes_max(); SL005 the
--          tenant's most.
create or replace function sluice.accept_files(p_tenant text, p_files int) returns void
language plpgsql volatile
as $$
declare
  v_tenant text := coalesce(p_tenant, 'default');
  v_limits sluice.tenant_limits := (select l from sluice.limits_of(v_tenant) l);
  v_files bigint;
  v_bytes bigint;
  v_all_bytes bigint;
  v_to_come bigint;
begin
  select coalesce(sum(h.files) filter (where h.tenant = v_tenant), 0),
    coalesce(sum(h.bytes) filter (where h.tenant = v_tenant), 0),
    coalesce(sum(least(h.bytes, l.files_bytes_max)), 0)
  into v_files, v_bytes, v_all_bytes
  from (select coalesce(f.tenant, 'default') as tenant, count(*) as files,
    coalesce(sum(f.bytes), 0) as bytes
        from sluice.file f group by 1) h
  cross join lateral sluice.limits_of(h.tenant) l;
  select coalesce(sum((b.output_file is null)::int + (b.error_file is null
    and b.endpoint <> '/v1/messages')::int), 0) into v_to_come
  from sluice.batch b where b.phase <> 'done' and coalesce(b.tenant, 'default') = v_tenant;
  if v_files + v_to_come + p_files > v_limits.max_files then
    raise exception 'tenant "%" has % files%, of % that it may have', v_tenant, v_files,
      case when v_to_come > 0 then format(' and %s to come of its batches', v_to_come)
        else '' end, v_limits.max_files
      using errcode = 'SL005',
        hint = case when p_files > 1 then format('A batch needs %s. ', p_files) else '' end
        || 'Delete some: DELETE /v1/files/{id}. Or raise sluice.tenants.max_files (for all: '
           'sluice.settings.tenant_max_files).';
  elsif v_bytes >= v_limits.files_bytes_max then
    raise exception 'the files of tenant "%" take % bytes, of % that they may take', v_tenant,
      v_bytes, v_limits.files_bytes_max
      using errcode = 'SL005',
        hint = 'Delete some: DELETE /v1/files/{id}. Or raise sluice.tenants.files_bytes_max '
        || '(for all: sluice.settings.tenant_files_bytes_max).';
  elsif v_all_bytes >= sluice.files_bytes_max() then
    raise exception 'the files take % bytes', sluice.files_bytes_max() using errcode = 'SL003',
      hint = 'Delete some: DELETE /v1/files/{id}.';
  end if;
end
$$;

-- accept_batch: whether the tenant may begin another batch that makes p_files files. Params:
-- p_tenant: null: of none.
-- Errors: SL003, SL005 as above; SL005 too many are open.
create or replace function sluice.accept_batch(p_tenant text, p_files int) returns void
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
  perform sluice.accept_files(p_tenant, p_files);
end
$$;

-- files_bytes_max: of all files together, when an upload or a batch begins: they share a disk with
-- the queue.
create or replace function sluice.files_bytes_max() returns bigint
language sql immutable parallel safe
as $$ select 53687091200 $$;
