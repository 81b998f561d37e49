begin;
\ir ../../_helpers.sql
select plan(10);


select is(sluice.is_spared(k, c), e, concat_ws(' ', k, c))
from (values ('returned', 'not_sent', true), ('returned', null, false),
  ('returned', 'throttled', true), ('returned', 'http_404', false), ('retry', 'not_sent', false),
  ('throttled', 'http_403', true), ('throttled', 'http_429', false),
    ('throttled', 'credential', false),
  ('failed', 'http_404', false), (null, null, false)) v(k, c, e);

select * from finish();
rollback;
