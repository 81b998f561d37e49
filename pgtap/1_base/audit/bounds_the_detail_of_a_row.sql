-- sluice.note_audit
begin;
\ir ../../_helpers.sql
select plan(3);

select given_tenant('sluice_admin') as a \gset
set local session authorization :"a";
select sluice.cancel_all(tenant => repeat('x', 70000)) \g /dev/null
reset session authorization;
select is(count(*), 1::bigint, 'the command is noted') from sluice.audit where who = :'a';
select is(max(octet_length(detail::text)) < 100, true, 'a long condition is not kept')
from sluice.audit where who = :'a';
select sluice.note_audit('pause', repeat('y', 1000)) \g /dev/null
select is(max(length(object)), 200, 'nor a long name') from sluice.audit where action = 'pause'
  and object like 'yyy%';

select * from finish();
rollback;
