-- The attack: a retention of 99999999 years was taken, and then each round of retention failed.
begin;
\ir ../../_helpers.sql
select plan(10);

select given_model() as m \gset
create function refused(p_column text, p_value text) returns text language sql
as $$
  select throws_ok(format('update sluice.settings set %I = %L', p_column, p_value), '23514', null,
    p_column || ' of ' || p_value)
$$;
select refused(c, v) from unnest('{retention,ageing,idle_look}'::text[]) c,
  unnest('{99999999 years,1001 years}'::text[]) v;
select throws_ok(format('update sluice.models set breaker_open = %L where name = %L',
  '99999999 years', :'m'), '23514', null, 'breaker_open of 99999999 years');
update sluice.settings set retention = '1000 years', ageing = '1000 years',
  idle_look = '1000 years';
select lives_ok('select sluice.begin_retention(clock_timestamp())', 'retention takes the most');
select lives_ok($$ select sluice.tick() $$, 'and so does a tick');
update sluice.models set breaker_open = '1 year' where name = :'m';
select is((select breaker_open from sluice.models where name = :'m'), interval '1 year',
  'a breaker that is open for a year');

select * from finish();
rollback;
