begin;
\set alone
\ir ../_helpers.sql
select plan(3);

select given_model() from generate_series(1, 3) \g /dev/null
select given_worker() as w \gset
select bells as held from sluice.take_bells(:w, '{}', at(0)) \gset
select is(cardinality(held_bells()), 6, 'three and their alarms are held');
select sluice.drop_bells(:'held');
select is(held_bells(), '{}', 'none is left');
select lives_ok($$select sluice.drop_bells('{}')$$, 'none to give back is no error');

select * from finish();
rollback;
