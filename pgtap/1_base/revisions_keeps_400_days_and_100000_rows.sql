begin;
\set alone
\ir ../_helpers.sql
select plan(3);

create function given_revision(p_at timestamptz) returns void language sql
as $$ insert into sluice.revision (at, who, kind, name, action) values (p_at, 'test', 'models',
  'x', 'update') $$;
delete from sluice.revision;
select given_revision(at(0)), given_revision(at(1)) \g /dev/null
create function kept() returns timestamptz[] language sql
as $$ select array_agg(at order by at) from sluice.revision $$;
select sluice.forget_revisions(at(400 * 86400)) \g /dev/null
select is(kept(), array[at(0), at(1)], 'on the 400th day all is there');
select sluice.forget_revisions(at(400 * 86400 + 1)) \g /dev/null
select is(kept(), array[at(1)], 'then the oldest goes');
create or replace function sluice.revision_rows_max()
returns bigint language sql as 'select 2::bigint';
select given_revision(at(2)), given_revision(at(2)) \g /dev/null
select sluice.forget_revisions(at(3)) \g /dev/null
select is(kept(), array[at(2), at(2)], 'or the oldest rows, however young they are');

select * from finish();
rollback;
