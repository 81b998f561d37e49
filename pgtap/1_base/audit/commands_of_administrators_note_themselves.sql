-- sluice.note_audit
begin;
\ir ../../_helpers.sql
select plan(4);

select given_model() as m \gset
set local session authorization sluice_admin;
select sluice.pause(:'m'), sluice.resume(:'m'), sluice.close_model(:'m', at(1), 'bill') \g /dev/null
select is(array(select action from sluice.audit_log where object = :'m' and who = 'sluice_admin'
  order by id), array['pause', 'resume', 'close_model'], 'each once');
select is((select detail ->> 'reason' from sluice.audit_log where object = :'m'
  and action = 'close_model'), 'bill', 'with its arguments');
reset session authorization;
select given_worker(array[:'m']) as w \gset
select sluice.resume(:'m') \g /dev/null
select given_task(:'m') as t \gset
select count(*) as before from sluice.audit \gset
select claimed(:w, 1, at(2)) \g /dev/null
select completed(:w, told(:t, 'throttled', retry_after_ms => 60000), at(3)) \g /dev/null
select ok((select closed_until > at(3) from sluice.models where name = :'m'),
  'a 429 closes a model');
select is((select count(*) from sluice.audit where object = :'m'), 5::bigint,
  'and is no administrator''s doing');

select * from finish();
rollback;
