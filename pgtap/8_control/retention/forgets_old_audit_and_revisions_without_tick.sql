-- sluice.retain
begin;
\set alone
\ir ../../_helpers.sql
select plan(2);

insert into sluice.revision (at, who, kind, name, action)
values (at(0) - interval '401 days', 'x', 'models', 'old', 'delete'),
  (at(0) - interval '399 days', 'x', 'models', 'young', 'delete');
insert into sluice.audit (at, who, action, object)
values (at(0) - interval '401 days', 'x', 'y', 'old'), (at(0) - interval '399 days', 'x', 'y',
  'young');
select sluice.retain(at(0)) \g /dev/null
select is(array(select r.name from sluice.revision r where r.name in ('old', 'young')), '{young}',
  'revisions of 400 days ago go');
select is(array(select a.object from sluice.audit a where a.action = 'y'), '{young}',
  'and rows of the audit');

select * from finish();
rollback;
