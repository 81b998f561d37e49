begin;
\ir ../../_helpers.sql
select plan(5);

select given_model(rpm => 60, tpm => 6000) as m \gset
select given_model() as free \gset
create function sick(p_now timestamptz) returns text language sql
as $$ select concat_ws(' ',
  case when sluice.needs_mending(sluice.request_quota(m), p_now) then 'requests' end,
             case when sluice.needs_mending(sluice.token_quota(m), p_now) then 'tokens' end)
      from sluice.models m where name = current_setting('my.model') $$;
select set_config('my.model', :'m', true) \g /dev/null
select is(sick(at(0)), '', 'a fresh one is sound');
select forget_counter('bucket', :'m');
select is(sick(at(0)), 'requests', 'one that was never set is not');
select sluice.set_counter('bucket', id_of(:'m'), sluice.micros(at(1000)) * 1000) \g /dev/null
select is(sick(at(0)), 'requests', 'nor one that a later clock set');
insert into sluice.spent (account, at, tokens) values (id_of(:'m'), at(2000), 1);
select is(sick(at(1000)), 'tokens', 'nor is an account with something ahead');
select ok(not sluice.needs_mending(quota_of(:'free'), at(0)),
  'where there is no quota nothing is to be mended');

select * from finish();
rollback;
