begin;
\ir ../../_helpers.sql
select plan(5);

-- Counted each time.
create or replace function sluice.all_files_bytes() returns bigint language sql
as $$ select sluice.count_files_bytes() $$;
update sluice.settings set tenant_files_bytes_max = null;
insert into sluice.file (bytes, lines, created_at, expires_at, purpose, filename)
select sluice.files_bytes_max() - 1 - coalesce(sum(bytes), 0), 1, at(0), at(9), 'batch', 'x'
from sluice.file;
select lives_ok($$select sluice.begin_file('batch', 'x', null, at(0))$$, 'a byte is left');
insert into sluice.file (bytes, lines, created_at, expires_at, purpose, filename)
  values (1, 1, at(0), at(8), 'batch', 'x');
select code, hint from error_of($$select sluice.begin_file('batch', 'x', null, at(0))$$) \gset
select is(:'code'::text, 'SL003', 'none is');
select isnt(:'hint'::text, '', 'with a hint');
select is(sluice.drop_old_files(at(8)), true, 'one goes');
select lives_ok($$select sluice.begin_file('batch', 'x', null, at(0))$$, 'and there is room');

select * from finish();
rollback;
