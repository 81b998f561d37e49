begin;
\ir ../../_helpers.sql
select plan(4);

select code, hint from error_of('select sluice.cancel_all()') \gset
select is(:'code'::text, 'SL004', 'nothing given is SL004');
select matches(:'hint'::text, 'at least one of model, tenant, metadata, batch_id, since and until',
  'with what to give');
select is((error_of('select sluice.cancel_all(''no such model'')')).code, 'SL001',
  'an unknown name is SL001');
select is(sluice.cancel_all(tenant => 'nobody at all'), 0::bigint,
  'a tenant without tasks is none');

select * from finish();
rollback;
