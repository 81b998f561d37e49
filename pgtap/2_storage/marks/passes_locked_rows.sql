begin;
\set alone
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
create function passed(p_last timestamptz, p_now timestamptz) returns timestamptz language plpgsql
as $$ begin
  perform sluice.pass_locked(row(id_of(current_setting('t.m')), 0, sluice.tenant_key('default'),
    at(0), 1, 1, null)::sluice.head, p_last, p_now);
  return marked(current_setting('t.m'));
end $$;
select set_config('t.m', :'m', true) \g /dev/null
select is(passed(at(5), at(10)), at(5) + interval '1 microsecond',
  'the next claim goes on behind the last one');
select is(passed(at(10), at(10)), at(10) - sluice.mark_lag(), 'never closer to now than the lag');

select * from finish();
rollback;
