-- given_remains: what an upgrade from schema 44 leaves for later. Needs the database alone.
create function given_remains() returns void language plpgsql
as $$
begin
  perform set_config('role', 'sluice_owner', true);
  create type sluice.arrival as (task_id bigint);
  create table sluice.backlog (due boolean not null) inherits (sluice.later);
  create table sluice.lane (id int);
  alter table sluice.rung alter column line drop not null, add column model int;
  create table sluice.remains (statement text primary key);
  insert into sluice.remains values ('select sluice.drop_backlog()');
  update sluice.function_set set applied_at = applied_at - interval '1 hour';
  perform set_config('role', 'none', true);
end
$$;
