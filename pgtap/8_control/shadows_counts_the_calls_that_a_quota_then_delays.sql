-- sluice.look_at_shadows, sluice.look_at_shadow, sluice.begun_calls,
-- sluice.count_delayed, sluice.add_shadow_hours, sluice.looked_until
begin;
\set alone
\ir ../_helpers.sql
\ir ../_shadows.sql
select plan(9);

-- The same load under the shadow of a quota, and under the quota.
select given_model() as m \gset
select sluice.start_shadow('models', :'m', '{"rpm": 400}', p_now => at(0)) as shadow,
  sluice.start_shadow('models', :'m', '{"rpm": null}', p_now => at(0)) as free \gset
select delayed as unlimited from arrived(:'m', 0) \gset
select is(:unlimited, 0, 'without a quota nothing waits');
select * from sluice.shadows(:shadow) \gset counted_
select is((select array[h.delayed, h.calls] from sluice.shadows(:free) h),
  array[0, (select count(*) from sluice.result r where r.model = :'m')],
  'shadows do not disturb each other; each call counts once');
select is((select array_agg(array[h.at::text, h.model]) from sluice.shadow_hours(:shadow) h),
  array[array[at(0)::text, :'m']], 'by hour and model');
select is(sluice.apply_shadow(:shadow, p_now => at(60)), 'applied', 'the quota is put in force');
select given_bucket('bucket', id_of(:'m'));
select * from arrived(:'m', 3600) \gset
select ok(:delayed between 30 and 0.9 * :counted_calls and near(:counted_delayed, :delayed),
  format('requests of a model: counted %s, then delayed %s, of %s', :counted_delayed, :delayed,
    :counted_calls));
select ok(:counted_delay_s between 0.6 * :delay_s and :delay_s,
  format('for %s s, and then, in steps of a claim each, %s s', round(:counted_delay_s), :delay_s));

select given_model() as m, given_tenant(null::int, null::int) as t \gset
select sluice.start_shadow('tenants', :'t', '{"rpm": 400}', p_now => at(7200)) as shadow \gset
select * from arrived(:'m', 7200, :'t') \gset
select * from sluice.shadows(:shadow) \gset counted_
select sluice.apply_shadow(:shadow, p_now => at(7260)) \g /dev/null
select * from arrived(:'m', 10800, :'t') \gset
select ok(:delayed between 30 and 0.9 * :counted_calls and near(:counted_delayed, :delayed),
  format('of a tenant: counted %s, then delayed %s, of %s', :counted_delayed, :delayed,
    :counted_calls));

select given_model() as m \gset
select sluice.start_shadow('models', :'m', '{"tpm": 21500}', p_now => at(14400)) as shadow \gset
select * from arrived(:'m', 14400, p_every => 2) \gset
select * from sluice.shadows(:shadow) \gset counted_
select sluice.apply_shadow(:shadow, p_now => at(14460)) \g /dev/null
select given_bucket('tokens', id_of(:'m'));
select * from arrived(:'m', 18000, p_every => 2) \gset
select ok(:delayed between 30 and 0.9 * :counted_calls and near(:counted_delayed, :delayed),
  format('tokens of a model: counted %s, then delayed %s, of %s', :counted_delayed, :delayed,
    :counted_calls));

select is((select count(*) from sluice.begun_calls((select s from sluice.shadow s limit 1),
  at(99999), 0)), 0::bigint, 'a look may read a part');

select * from finish();
rollback;
