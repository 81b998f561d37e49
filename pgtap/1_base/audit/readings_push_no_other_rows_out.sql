begin;
\set alone
\ir ../../_helpers.sql
select plan(2);

create function noted() returns text[] language sql
as $$ select array(select object from sluice.audit order by id) $$;
delete from sluice.audit;
-- audit_rows_max, audit_readings_max
create or replace function sluice.audit_rows_max() returns bigint language sql
as 'select 2::bigint';
create or replace function sluice.audit_readings_max() returns bigint language sql
as 'select 3::bigint';
select sluice.note_audit('pause', 'first', null) \g /dev/null
select sluice.note_audit('read_texts', n::text, null) from generate_series(1, 5) n
\g /dev/null
select sluice.forget_audit(now()) \g /dev/null
select is(noted(), array['first', '3', '4', '5'],
  'the oldest readings go, what a person decided stays');
select sluice.note_audit('pause', n::text, null) from generate_series(6, 7) n \g /dev/null
select sluice.forget_audit(now()) \g /dev/null
select is(noted(), array['3', '4', '5', '6', '7'], 'until there are more such decisions');

select * from finish();
rollback;
