-- Which binaries a schema serves: those whose own newest migration has this number or a higher one.
-- Each migrate notes it with the migrations that it runs; the newest row counts (D-329).
alter table sluice.migration add column serves_from int;
