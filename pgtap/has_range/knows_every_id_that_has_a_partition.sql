begin;
\set alone
\ir ../_helpers.sql
select plan(2);

select end_id as beyond from sluice.id_range order by end_id desc limit 1 \gset
select is(sluice.has_range(:beyond - 1), true, 'the last id');
select is(sluice.has_range(:beyond), false, 'the next one');

select * from finish();
rollback;
