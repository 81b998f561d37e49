begin;
\set alone
\ir ../../_helpers.sql
select plan(9);

update sluice.settings set retention = '30 days';
select given_model() as m \gset
select is(sluice.close_range(at(0)), false, 'a range without a task stays open');
select given_task(:'m') as old \gset
select is(sluice.close_range(at(2 * 86400)), false, 'up to two thirds of the slack it stays open');
select given_task(:'m', p_now => at(2 * 86400)) as t \gset
select is(:t, :old + 1, 'and gives out ids');
select is(sluice.close_range(at(2 * 86400 + 1)), true, 'then it is closed');
select given_task(:'m') as next \gset
select is(:next, 1000000, 'ids go on in the next');
select is((select end_id - first_id from sluice.id_range where n = 3), 1000000::bigint,
  'two ranges as wide are ahead');
select is(sluice.close_range(at(2 * 86400 - 1)), false, 'that one is young');
create or replace function sluice.id_ranges_max()
returns int language sql immutable as $$ select 9 $$;
select is(sluice.close_range(at(4 * 86400)), false, 'six ranges are for bursts');
select is(sluice.close_range(null), false, 'no round, no closing');

select * from finish();
rollback;
