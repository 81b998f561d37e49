begin;
\ir ../../_helpers.sql
select plan(8);

select given_model() as m, given_model() as n \gset
select 'tenant ' || :'m' as t \gset
insert into sluice.tenants (name, max_unfinished) values (:'t', 3);
select given_worker(array[:'m']) as w \gset
create function submit_for(p_tenant text, p_model text) returns bigint language sql
as $$ select sluice.submit('q', p_model, tenant => p_tenant, p_now => at(0)) $$;
select lives_ok(format('select submit_for(%L, m) from unnest(array[%L, %L, %L]) m', :'t', :'m',
  :'n', :'m'), 'three, over all models');
select * from error_of(format('select submit_for(%L, %L)', :'t', :'n')) \gset
select is(:'code'::text, 'SL005', 'no fourth');
select is(:'message'::text, format('tenant "%s" is at its cap: 3 of 3 unfinished', :'t'),
  'with the numbers');
select matches(:'hint'::text, 'cancel some, or raise sluice.tenants.max_unfinished', :'hint'::text);
select lives_ok(format('select submit_for(%L, %L)', :'t' || ' other', :'n'),
  'another tenant is not concerned');
select completed(:w, told(x, 'solved')) from unnest(claimed(:w, 1)) x \g /dev/null
select lives_ok(format('select submit_for(%L, %L)', :'t', :'n'), 'one ended: one may come');
select is((error_of(format('select submit_for(%L, %L)', :'t', :'n'))).code, 'SL005',
  'no more than one');
select is((error_of(format('select * from sluice.submit_many(%L)',
  (select jsonb_agg(jsonb_build_object('prompt', 'q', 'model', :'n', 'tenant', :'t'))
   from generate_series(1, 2))))).message,
  format('tenant "%s" is at its cap: 3 of 3 unfinished, no room for 2 more', :'t'),
  'submit_many, too, with no element at fault');

select * from finish();
rollback;
