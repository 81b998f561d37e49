-- sluice.check_in_full, sluice.submit_drafts
begin;
\set alone
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_route(:'m') as r \gset
insert into sluice.tenants (name, max_unfinished) values ('capped', 10);
create function taken() returns bigint language sql volatile
as $$ select sluice.gauge_usage(sluice.gauge('tenant', 'capped'), false) $$;
select sluice.submit('x', :'r', tenant => 'capped') \g /dev/null
select taken() as before \gset
select sluice.submit('x', :'r', tenant => 'capped') \g /dev/null
select is(taken() - :before, 1::bigint, 'a task');
select sluice.submit('x', :'r', tenant => 'capped', affinity_key => 'k') \g /dev/null
select is(taken() - :before, 2::bigint, 'one with an affinity key');
select sluice.submit_many(jsonb_build_array(jsonb_build_object('prompt', 'x', 'model', :'r',
  'tenant', 'capped', 'affinity_key', 'k'))) \g /dev/null
select is(taken() - :before, 3::bigint, 'of a bulk submit, too');

select * from finish();
rollback;
