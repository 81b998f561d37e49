begin;
\ir ../../_helpers.sql
select plan(5);

select given_model(rpm => 20) as m \gset
select given_model() as free \gset
select is(sluice.next_permit_at(:'m', at(5)), at(5), 'at once, while the bucket has one');
select sluice.take_permits(quota_of(:'m'), 1, at(5)) \g /dev/null
select is(sluice.next_permit_at(:'m', at(5)), at(8.0125), 'else when the next one comes');
select is(sluice.next_permit_at(:'free', at(5)), null, 'never, for a model without a quota');
select code, hint from error_of($$select sluice.next_permit_at('nobody')$$) \gset
select is(:'code', 'SL001'::text, 'an unknown model is SL001');
select isnt(:'hint', ''::text, 'with a hint');

select * from finish();
rollback;
