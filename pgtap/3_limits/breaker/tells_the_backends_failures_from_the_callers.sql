begin;
\ir ../../_helpers.sql
select plan(16);

select is(sluice.backend_lives(k, s), e, format('%s %s', k, s))
from (values ('solved', 200, true), ('retry', null, false), ('retry', 500, false),
  ('retry', 503, false), ('retry', 408, false),
  ('retry', 409, true), ('retry', 200, true), ('failed', 400, true), ('failed', 500, null),
    ('failed', null, null),
  ('throttled', 429, true), ('throttled', 403, null), ('throttled', 404, null),
  ('throttled', 405, null), ('returned', null, null), ('cancelled', null, null)) v(k, s, e);

select * from finish();
rollback;
