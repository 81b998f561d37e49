-- The attack: a backend repeats a prompt in its error, and every tenant that waits for the model
-- reads it; or a worker's text names a secret. A quote in its name had cut the name short that was
-- looked for.
begin;
\ir ../../_helpers.sql
select plan(12);

select given_tenant('sluice_submitter') as a \gset
-- Before the row of settings is locked: so others do it.
select given_model() \g /dev/null
update sluice.settings set default_role = 'sluice_reader';
select sluice.create_key('00000000000000aa', sha256('k'), 'k', :'a', '{read}') \g /dev/null
create temporary table called as select given_model() as m, code, said from (values
  ('credential', 'HTTP 401, BSECRET: rejected prompt <BSECRET>'),
    ('billing', 'HTTP 429, insufficient_quota: BSECRET'),
  ('http_429', 'HTTP 429, BSECRET'),
    ('credential', 'secret "file:/run/secrets/no"pe may not go to BSECRET')) v(code, said);
alter table called add t bigint;
update called set t = given_task(m);
grant select on called to public;
select given_worker() as w \gset
select claimed(:w, 4) \g /dev/null
select completed(:w, row(t, 1, 'throttled', null, null, said, code, 429, 3600000, null, null,
  false)::sluice.outcome) from called
\g /dev/null
update called set t = sluice.submit('x', m, tenant => :'a', p_now => at(0));
select alike(sluice.explain(t, at(2)), '%' || said || '%', 'an administrator hears why')
from called;
select is((select count(*) from sluice.queues q join called c on c.m = q.model
  and strpos(q.closed_reason, c.said) > 0), 4::bigint, 'and sees it');
set local role :"a";
select matches(sluice.explain(t, at(2)), '\((credential|billing|throttled): HTTP 429\)',
  'a tenant what it is') from called;
reset role;
set local role sluice_reader;
select is_empty($$select * from sluice.queues q where q::text ~ 'BSECRET|no"pe'$$,
  'a reader sees no more');
reset role;
select set_config('sluice.api_key', '00000000000000aa', true) \g /dev/null
select is_empty($$select * from called where sluice.explain(t, at(2)) ~ 'BSECRET|no"pe'$$,
  'nor does a key over HTTP');
select is(sluice.shown_reason('maintenance', null), 'maintenance', 'what somebody wrote is shown');

select * from finish();
rollback;
