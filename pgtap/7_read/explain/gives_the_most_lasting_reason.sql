begin;
\ir ../../_helpers.sql
select plan(5);

set local timezone = 'UTC';
select given_model(rpm => 60, burst => 1) as m \gset
select given_route(:'m') as r \gset
select own_line(:'r') as line \gset
create function why(p_s numeric) returns text language sql
as $$ select sluice.blocked_text(m, own_line(current_setting('my.route')), at(p_s))
  from sluice.models m
      where name = current_setting('my.model') $$;
select set_config('my.model', :'m', true), set_config('my.route', :'r', true) \g /dev/null
select is(why(1), 'no live worker serves the model', 'nobody works');
select given_worker(array[:'m']) as w \gset
select is(why(1), 'has not asked for 1 s', 'nobody has asked');
select given_task(:'r'), given_task(:'r') \g /dev/null
select claimed(:w, 1) \g /dev/null
select is(why(1.1), 'next permit 00:00:02 (rpm 60)', 'no permit');
select sluice.may_take(:line, id_of(:'m'), 1, 0, at(3)) \g /dev/null
select is(why(3), null, 'none');
select sluice.pause(:'m') \g /dev/null
select is(why(1.1), 'the model is paused', 'that lasts longer than a permit');

select * from finish();
rollback;
