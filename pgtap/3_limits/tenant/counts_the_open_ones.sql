-- sluice.accept_batch
begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(5);

select 'tenant ' || pg_backend_pid() as t \gset
select given_speaker() as m, given_speaker('anthropic-messages') as claude \gset
insert into sluice.tenants (name, max_batches) values (:'t', 1);
select given_batch(:'m', 1, :'t') as b \gset
select is((error_of(format('select given_batch(%L, 1, %L)', :'m', :'t'))).message,
  format('tenant "%s" has 1 open batches, of 1 that it may have', :'t'), 'no second');
select is((error_of(format('select message_batch(%L, 1, %L)', :'claude', :'t'))).code, 'SL005',
  'of either API');
select lives_ok(format('select given_batch(%L, 1, %L)', :'m', :'t' || ' other'),
  'another tenant is not concerned');
update sluice.batch set phase = 'done', ended_at = at(1) where id = :b;
select lives_ok(format('select given_batch(%L, 1, %L)', :'m', :'t'), 'one has ended');
update sluice.settings set tenant_max_batches = 0;
select is((error_of(format('select given_batch(%L)', :'m'))).code, 'SL005',
  'without a tenant it is the default''s');

select * from finish();
rollback;
