-- Ids are given once, also where commits were lost.

-- ids_skipped: how many ids are left out on another server or timeline: more than can have been
-- given and lost. At 5,000 tasks a second it is an hour; ranges reach further (ids_ahead_min).
create or replace function sluice.ids_skipped() returns bigint
language sql immutable parallel safe
as $$ select 16777216::bigint $$;

-- server_timeline: a number for this server, the present timeline of its WAL, which each promotion
-- and each restore to a point in time begins anew, and the schema, which is made anew where a dump
-- is restored; 0: the server does not tell.
create or replace function sluice.server_timeline() returns bigint
language plpgsql volatile
as $$
begin
  return hashtextextended((select system_identifier::text from pg_control_system())
    || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)
    || 'sluice'::regnamespace::oid::text, 0) & 9223372036854775807;
exception when undefined_function or feature_not_supported or insufficient_privilege
  or object_not_in_prerequisite_state then
  return 0;
end
$$;

-- first_new_id: the first task id that may be given. On another timeline than before it leaves out
-- ids_skipped() ids of tasks, files, batches and jobs first: the last commits may be lost, and a
-- worker that still has a call of a lost task would store its answer for the new one of that id, be
-- it another tenant's; a client that waits for it would read that. Called by workers and servers
-- when they connect, and before ids are taken on a server that is not noted (note_server). 40 us.
-- Locks:   one at a time, but not until the end of the transaction: the block is rolled back, which
--          undoes no setval.
create or replace function sluice.first_new_id() returns bigint
language plpgsql volatile
as $$
declare
  v_timeline bigint := sluice.server_timeline();
begin
  begin
    if v_timeline is distinct from pg_sequence_last_value('sluice.ids_given_on') then
      perform pg_advisory_xact_lock(sluice.lock_class('mend'), 1);
      if v_timeline <> pg_sequence_last_value('sluice.ids_given_on') then
        perform setval(s, nextval(s) + sluice.ids_skipped())
        from unnest(array['sluice.task_id', 'sluice.file_id_seq', 'sluice.batch_id_seq',
          'sluice.job_id_seq']::regclass[]) s;
        perform setval('sluice.first_id', pg_sequence_last_value('sluice.task_id'));
      end if;
      perform setval('sluice.ids_given_on', v_timeline);
      raise exception 'seen';
    end if;
  exception when raise_exception then
    null;
  end;
  return coalesce(pg_sequence_last_value('sluice.first_id'), 0);
end
$$;

-- note_server: asks for first_new_id, and tells submits so. A promotion is noticed: a standby
-- is promoted while it runs, but it began at another time than the server whose note it has, and
-- notes nothing before. Leaves it be if somebody has the gate's row.
create or replace function sluice.note_server() returns void
language plpgsql volatile
as $$
begin
  perform sluice.first_new_id();
  update sluice.gate g set server_started = pg_postmaster_start_time()
  where g.ctid in (select f.ctid from sluice.gate f
    where f.server_started <> pg_postmaster_start_time() for update skip locked);
end
$$;
