-- sluice.before_model_changes
begin;
\ir ../../_helpers.sql
select plan(11);


create temporary table parked as
select given_model() as m, c as setting
from unnest(array['url', 'secret', 'api', 'upstream_model', 'rpm']) c;
update sluice.models set closed_until = 'infinity', closed_reason = 'refused: HTTP 404'
where name in (select m from parked);
do $$
declare
  v record;
begin
  for v in select * from parked loop
    execute format('update sluice.models set %I = %L where name = %L', v.setting,
      (jsonb_build_object('url', 'http://other', 'secret', 'env:OTHER', 'api', 'openai-chat',
        'upstream_model', 'other', 'rpm', 60)
        ->> v.setting), v.m);
  end loop;
end
$$;
select is((model_row(m)).closed_until, case setting when 'rpm' then 'infinity'::timestamptz end,
  setting) from parked;
select is((model_row(m)).calls_changed_at, null, 'another setting changes no call') from parked
where setting = 'rpm';
select sluice.resume(m) from parked where setting = 'rpm' \g /dev/null
select isnt((model_row(m)).calls_changed_at, null, 'resume: the first call goes alone, too')
from parked where setting = 'rpm';
select given_model() as closed \gset
select sluice.close_model(:'closed', 'infinity', 'holidays') \g /dev/null
update sluice.models set url = 'http://other' where name = :'closed';
select is((model_row(:'closed')).closed_until, 'infinity',
  'what somebody closed, only somebody opens');
update sluice.models set calls_changed_at = null where name = :'closed';
select sluice.resume(:'closed') \g /dev/null
select is((model_row(:'closed')).calls_changed_at, null, 'and then its calls are as they were');
select given_model() as new \gset
update sluice.models set url = 'http://other' where name = :'new';
select is((model_row(:'new')).calls_changed_at, null,
  'a model that was never called has no calls that could change');
select sluice.set_counter('claimed', id_of(:'new'), 1) \g /dev/null
update sluice.models set paths = '{/single}' where name = :'new';
select isnt((model_row(:'new')).calls_changed_at, null, 'one that was called has');

select * from finish();
rollback;
