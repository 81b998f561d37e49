begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
update sluice.models set max_unfinished = 1 where name = :'m';
select sluice.submit('q', :'m', idempotency_key => 'k' || :'m') as t \gset
select is(sluice.submit('q', :'m', idempotency_key => 'k' || :'m'), :t::bigint,
  'it adds no task to the full model');
select results_eq(format($$
  select * from sluice.submit_many('[{"prompt": "q", '
    '"model": "%1$s", "idempotency_key": "k%1$s"}]')$$, :'m'),
  array[:t::bigint], 'neither does submit_many');

select * from finish();
rollback;
