-- sluice.are_many_unfinished
begin;
\set alone
\ir ../../_helpers.sql
select plan(4);

-- given_usage: so many tasks are unfinished, as the system's gauge has it; null: it does not know.
create function given_usage(p_tasks bigint) returns void language plpgsql
as $$
begin
  execute format('create or replace function sluice.gauge_usage(p_gauge regclass, p_by_ids boolean)
    returns bigint language sql as $f$ select %L::bigint $f$', p_tasks);
end
$$;
select given_usage(1000);
select is(sluice.are_many_unfinished(), false, 'a thousand are few');
select given_usage(250000);
select is(sluice.are_many_unfinished(), true, 'a quarter of a million are many');
select given_usage(sluice.gauge_unknown());
select is(sluice.are_many_unfinished(), true, 'and so may be those that are not counted');
select given_usage(null);
select is(sluice.are_many_unfinished(), false, 'the sweep counts where ids were set back');

select * from finish();
rollback;
