-- The table of lines that may have work gets its plain name. What runs at that moment goes on with the old name, a view, which goes with
-- what else an upgrade leaves (dropped.sql). A database that still has a backlog (schema 44) has a model in each row, too.
alter table sluice.rung rename to ready_line;
alter table sluice.ready_line rename column rung_at to noted_at;
alter index sluice.rung_line_idx rename to ready_line_line_idx;
do $$
begin
  execute format('create view sluice.rung as select %s line, noted_at as rung_at from sluice.ready_line',
    case when to_regclass('sluice.backlog') is not null then 'model,' end);
end
$$;
