begin;
\ir ../../_helpers.sql
select plan(3);

select 'bucket_' || id_of(given_model()) as s \gset
select ok(not sluice.is_damaged(:'s'), 'a sound one');
select setval(('sluice.' || :'s')::regclass, 0, false) \g /dev/null
select ok(not sluice.is_damaged(:'s'), 'nor one that a crash has reset');
select ok(not sluice.is_damaged('bucket_of_nobody'), 'nor one that is no more');

select * from finish();
rollback;
