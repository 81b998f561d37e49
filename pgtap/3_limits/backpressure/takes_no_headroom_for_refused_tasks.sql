-- sluice.accept_many
begin;
\set alone
\ir ../../_helpers.sql
select plan(12);

-- Every count is a dear one, as on a machine that is busy.
create or replace function sluice.count_cheap_ms()
returns int language sql immutable parallel safe as $$ select -1 $$;
select given_model() as m, given_tenant(rpm => null, tpm => null) as t \gset
update sluice.models set max_unfinished = 50 where name = :'m';
select code, message, hint from error_of(format('select given_tasks(%L, 60)', :'m')) \gset
select is(:'message'::text,
  format('model "%s" is full: 0 of 50 unfinished, no room for 60 more', :'m'), 'the count is true');
select is(:'hint'::text, 'It takes 50 at most: submit fewer at a time.', 'and the hint');
select is(sluice.counter('load', id_of(:'m')), 0::bigint, 'nothing is taken');
select lives_ok(format('select given_task(%L)', :'m'), 'the next one finds room');
select lives_ok(format('select given_tasks(%L, 30)', :'m'), 'and some');
select is((error_of(format('select given_tasks(%L, 20)', :'m'))).message,
  format('model "%s" is full: 31 of 50 unfinished, no room for 20 more', :'m'), 'not all of these');
select is(sluice.counter('load', id_of(:'m')), 31::bigint, 'nothing is taken');
select lives_ok(format('select given_tasks(%L, 19)', :'m'), 'as many as fit');

update sluice.tenants set max_unfinished = 5 where name = :'t';
update sluice.models set max_unfinished = null where name = :'m';
create function many(p_model text, p_tenant text, p_count int) returns void language sql
as $$
  select sluice.submit_many(
    (select jsonb_agg(jsonb_build_object('prompt', 'x', 'model', p_model, 'tenant', p_tenant))
                             from generate_series(1, p_count)))
$$;
select is((error_of(format('select many(%L, %L, 6)', :'m', :'t'))).message,
  format('tenant "%s" is at its cap: 0 of 5 unfinished, no room for 6 more', :'t'),
    'a tenant''s likewise');
select lives_ok(format('select given_task(%L, tenant => %L)', :'m', :'t'),
  'whose next one finds room');

update sluice.settings set max_unfinished = (select count(*) + 5 from sluice.task);
select is((error_of(format('select given_tasks(%L, 60)', :'m'))).code, 'SL003',
  'and the system''s');
select lives_ok(format('select given_task(%L)', :'m'), 'whose next one finds room');

select * from finish();
rollback;
