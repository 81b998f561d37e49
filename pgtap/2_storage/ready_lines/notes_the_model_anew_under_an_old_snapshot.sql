begin isolation level repeatable read;
\ir ../../_helpers.sql
select plan(6);

-- The note that an old snapshot shows may be gone.
select given_model() as m \gset
insert into sluice.ready_line (line, noted_at) values (id_of(:'m'), clock_timestamp());
create function notes_after(p_setting text) returns bigint language plpgsql as $$
begin
  perform set_config('sluice.noted_' || max(id), p_setting, true) from sluice.models;
  perform sluice.notify_ready(max(id)) from sluice.models;
  return (select count(*) from sluice.ready_line where line = (select max(id) from sluice.models));
end
$$;
select is(notes_after(''), 2::bigint, 'what it sees is not believed');
select sluice.notify_ready(id_of(:'m')) \g /dev/null
select is((select count(*) from sluice.ready_line where line = id_of(:'m')), 2::bigint,
  'what the session noted just now is');
select is(notes_after(sluice.micros(clock_timestamp() - interval '6 s')::text), 3::bigint,
  'for 5 s');
select is(notes_after(sluice.micros(clock_timestamp() + interval '1 s')::text), 4::bigint,
  'not if the clock was set back since');
select ok(sluice.has_noted(id_of(:'m')), 'it knows of that');
select is(notes_after('never'), 5::bigint, 'nor if a client says so');

select * from finish();
rollback;
