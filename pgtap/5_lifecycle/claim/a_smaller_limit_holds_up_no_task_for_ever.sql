-- sluice.claim
begin;
\ir ../../_helpers.sql
select plan(1);

select given_model(tpm => 6000) as m \gset
select given_worker() as w \gset
select given_task(:'m', max_output_tokens => 5000) as t \gset
update sluice.models set tpm = 100 where name = :'m';
update sluice.models set limits_changed_at = at(0) where name = :'m';
select is(claimed(:w, 1, at(70)), array[:t]::bigint[],
  'larger than the new limit, it goes when nothing else is under way');

select * from finish();
rollback;
