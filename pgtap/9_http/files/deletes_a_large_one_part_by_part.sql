begin;
\ir ../../_helpers.sql
select plan(7);

create or replace function sluice.file_parts_step_max() returns int language sql immutable
as $$ select 2 $$;

-- given_file: a file of so many parts that is not ended yet.
create function given_file(p_parts int) returns bigint language plpgsql
as $$
declare
  v_file bigint := sluice.begin_file('batch', 'x', 'default', at(0));
begin
  perform sluice.append_file(v_file, n, 1, 'x') from generate_series(0, p_parts - 1) n;
  return v_file;
end
$$;
create function parts(p_file bigint) returns bigint language sql stable
as $$ select count(*) from sluice.file_part p where p.file = p_file $$;

select given_file(5) as large, given_file(4) as open \gset
select sluice.end_file(:large, interval '1 hour') is not null as ended \gset
select ok(sluice.drop_old_files(at(3700)), 'its time is over');
select is(parts(:large), 3::bigint, 'a step deletes the last parts');
select is((sluice.visible_file(:large, 'default')).id, null, 'nobody sees what is left');
select ok(sluice.drop_old_files(at(3700)) and sluice.drop_old_files(at(3700))
  and not sluice.drop_old_files(at(3700)), 'two more steps');
select is_empty(format('select from sluice.file where id = %s', :large), 'and it is gone');

select ok(sluice.drop_old_files(at(90000)), 'so does an upload that takes too long');
select is(sluice.end_file(:open, interval '1 hour')::text, null, 'which does not end any more');

select * from finish();
rollback;
