begin;
\ir ../../_helpers.sql
\ir ../../_jobs.sql
select plan(10);

select given_model() as m, given_model() as n \gset
select given_failed(:'m', 1, 'HTTP 500: request "a" failed') as a \gset
select given_failed(:'m', 1, 'HTTP 500: request "b" failed', at(100)) as b \gset
select given_failed(:'m', 1, 'timed out', p_tenant => 'someone') as c \gset
select given_failed(:'n', 1, 'timed out') as d \gset
-- matched: which of the four a redrive means.
create function matched(p_filter jsonb) returns bigint language sql
as $$ select matched from sluice.new_job('redrive', p_filter, null, null, null, at(1000)) $$;
select is(matched('{"everything": true}'), 4::bigint, 'all');
select is(matched(jsonb_build_object('model', :'m')), 3::bigint, 'of a model');
select is(matched('{"message": "HTTP #: request … failed"}'), 2::bigint, 'that say the same');
select is(matched('{"error_like": "timed%"}'), 2::bigint, 'like a pattern');
select is(matched('{"tenant": "someone"}'), 1::bigint, 'of a tenant');
select is(matched(jsonb_build_object('since', at(50))), 1::bigint, 'since a time');
select is(matched(jsonb_build_object('until', at(50))), 3::bigint, 'before a time');
select is(matched('{"error_code": "http_500", "tenant": "someone"}'), 1::bigint,
  'that meet every condition');
select is(matched('{"status": "cancelled"}'), 0::bigint, 'failed, unless it is said otherwise');
select is((select matched from sluice.new_job('forget', '{"status": "failed"}', null, null, null,
  at(1000))), 4::bigint, 'forget means them, too');

select * from finish();
rollback;
