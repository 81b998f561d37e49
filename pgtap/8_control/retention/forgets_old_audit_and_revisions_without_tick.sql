-- sluice.retain
begin;
\set alone
\ir ../../_helpers.sql
select plan(2);

insert into sluice.revision (at, who, kind, name, action)
values (now() - interval '401 days', 'x', 'models', 'old', 'delete'),
  (now() - interval '399 days', 'x', 'models', 'young', 'delete');
insert into sluice.audit (at, who, action, object)
values (now() - interval '401 days', 'x', 'y', 'old'), (now() - interval '399 days', 'x', 'y',
  'young');
-- Whatever time an administrator says it is.
select sluice.retain(now() + interval '400 days') \g /dev/null
select is(array(select r.name from sluice.revision r where r.name in ('old', 'young')), '{young}',
  'revisions of 400 days ago go');
select sluice.retain() \g /dev/null
select is(array(select a.object from sluice.audit a where a.action = 'y'), '{young}',
  'and rows of the audit');

select * from finish();
rollback;
