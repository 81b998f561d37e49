-- sluice.notify_ready, sluice.has_noted
begin isolation level repeatable read;
\ir ../../_helpers.sql
select plan(8);

-- The note that an old snapshot shows may be gone: only the session's memory, and the transaction's
-- own note, are believed.
select given_model() as m \gset
-- notes_after: how many notes there are after one more call, with p_setting as the memory.
create function notes_after(p_setting text) returns bigint language plpgsql as $$
begin
  perform set_config('sluice.noted_' || max(id), p_setting, true) from sluice.models;
  perform sluice.notify_ready(max(id)) from sluice.models;
  return (select count(*) from sluice.ready_line where line = (select max(id) from sluice.models));
end
$$;
create function noted_by(p_setting text) returns bigint language plpgsql as $$
begin
  delete from sluice.ready_line where line = (select max(id) from sluice.models);
  return notes_after(p_setting);
end
$$;
select is(noted_by(''), 1::bigint, 'it is noted');
select sluice.notify_ready(id_of(:'m')) \g /dev/null
select is((select count(*) from sluice.ready_line where line = id_of(:'m')), 1::bigint,
  'not if the session noted it just now,');
select is(noted_by(sluice.micros(clock_timestamp() - interval '6 s')::text), 1::bigint,
  'for 5 s');
select is(noted_by(sluice.micros(clock_timestamp() + interval '1 s')::text), 1::bigint,
  'but if the clock was set back since');
select ok(sluice.has_noted(id_of(:'m')), 'it knows of that');
select is(noted_by('never'), 1::bigint, 'or if a client says so');
-- The attack: 100,000 submits of a transaction, each after the memory was taken back, made each
-- claim 0.1 s slower.
select is(notes_after(''), 1::bigint, 'once in a transaction, whatever a client takes back');
savepoint inner_one;
select is(notes_after(''), 1::bigint, 'in a part of it, too');

select * from finish();
rollback;
