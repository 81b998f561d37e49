begin;
\ir ../_helpers.sql
select plan(5);

select given_model() as m \gset
select sluice.submit('x', :'m', idempotency_key => 'a') \g /dev/null
select ok(sluice.are_repeated('[{"idempotency_key": "a"}]'), 'a used key');
select ok(not sluice.are_repeated('[{"idempotency_key": "b"}]'), 'a new one');
select ok(not sluice.are_repeated('[{"idempotency_key": "a", "tenant": "other"}]'), 'that of another tenant');
select ok(not sluice.are_repeated('[{"idempotency_key": "a"}, {"prompt": "x"}]'), 'each must have one');
select ok(not sluice.are_repeated('[{"idempotency_key": null}]'), 'null is none');

select * from finish();
rollback;
