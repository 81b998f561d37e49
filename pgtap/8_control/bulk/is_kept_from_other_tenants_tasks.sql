begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_tenant('sluice_submitter') as mine, given_tenant('sluice_submitter') as theirs \gset
select given_task(:'m', tenant => :'mine') as a, given_task(:'m', tenant => :'theirs') as b \gset
select sluice.cancel(id, at(1)) from unnest(array[:a, :b]) id \g /dev/null
set local role :"mine";
select sluice.forget_all(:'m', p_now => at(2)) as n,
  (error_of(format('select sluice.forget_all(tenant => %L)', :'theirs'))).code \gset
reset role;
select is(:n, 1, 'only his own');
select is((select array_agg(id) from sluice.task where id in (:a, :b) and forgotten_at is null),
  array[:b]::bigint[], 'the other''s stays');
select is(:'code'::text, 'SL009', 'another''s tenant is SL009');

select * from finish();
rollback;
