begin;
\ir ../_helpers.sql
select plan(3);

select given_model() as m \gset
select given_task(:'m') as t \gset
select is((sluice.find_place(:t, array[id_of(:'m')])).status, 'queued', 'it is in one of the queues it may be in');
select is((sluice.find_place(:t, '{}')).status, null, 'it is not looked for in others');
select sluice.cancel(:t) \g /dev/null
select is((sluice.find_place(:t, array[id_of(:'m')])).status, null, 'ended, it is in none');

select * from finish();
rollback;
