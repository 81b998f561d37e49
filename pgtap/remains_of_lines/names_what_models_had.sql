begin;
\set alone
\ir ../_helpers.sql
\ir ../has_remains/_helpers.sql
select plan(2);

select is_empty('select sluice.remains_of_lines(100)', 'a new database has none');
select given_remains(), id_of(given_model()) as m \gset
select format($$create unlogged sequence sluice.room_%1$s; create unlogged sequence sluice.paced_at_%1$s;
  create unlogged sequence sluice.mark_2000000000; create index on sluice.queue_%1$s (rank, ready_at, task_id);
  create function sluice.take_%1$s(int) returns int language sql as 'select 1';
  create function sluice.urgent_%1$s(int) returns int language sql as 'select 1';
  create procedure sluice.put_%1$s(sluice.arrival) language plpgsql as 'begin end'$$, :m) \gexec
select set_eq('select regexp_replace(s, ''(sluice.)?([a-z_]+)(_[0-9]+)(.*)'', ''\2'') from sluice.remains_of_lines(100) s',
  array['drop sequence room', 'drop sequence paced_at', 'drop sequence mark', 'drop index queue', 'drop routine take', 
        'drop routine urgent', 'drop routine put'], 'and nothing that a line of now has');

select * from finish();
rollback;
