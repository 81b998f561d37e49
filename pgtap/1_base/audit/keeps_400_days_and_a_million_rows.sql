begin;
\set alone
\ir ../../_helpers.sql
select plan(3);

create function noted() returns text[] language sql
as $$ select array(select action from sluice.audit where who = current_user and action like 'test %'
  order by id) $$;
delete from sluice.audit;
create function note(p_action text, p_at timestamptz) returns void language sql
as $$ select sluice.note_audit(p_action);
  update sluice.audit set at = p_at where action = p_action $$;
select note('test old', at(0)), note('test new', at(1)) \g /dev/null
select sluice.forget_audit(at(400 * 86400)) \g /dev/null
select is(noted(), array['test old', 'test new'], 'on the 400th day all is there');
select sluice.forget_audit(at(400 * 86400 + 1)) \g /dev/null
select is(noted(), array['test new'], 'then the oldest goes, and it alone');
create or replace function sluice.audit_rows_max()
returns bigint language sql as 'select 2::bigint';
select note('test ' || n, at(2)) from generate_series(1, 2) n \g /dev/null
select sluice.forget_audit(at(3)) \g /dev/null
select is(noted(), array['test 1', 'test 2'], 'or the newest rows, however young the others are');

select * from finish();
rollback;
