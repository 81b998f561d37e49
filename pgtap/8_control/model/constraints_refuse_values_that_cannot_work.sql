begin;
\ir ../../_helpers.sql
select plan(19);

select throws_ok(format('insert into sluice.models (name, url, %s) values (%L, ''http://h'', %s)',
  c, 'bad', v), '23514', null, c || ' = ' || v || ' is refused')
from (values ('rpm', '0'), ('tpm', '0'), ('max_in_flight', '0'), ('max_queue', '0'),
  ('max_attempts', '101'),
  ('api', '''smoke-signals'''), ('timeout', '''0'''),
    ('backoff_max', '''1 ms'''),
  ('batch_max', '0'), ('paths', '''{/other}'''), ('paths', '''{}'''), ('paths', '''{null}'''),
  ('api, paths', '''openai-chat'', ''{/single}'''), ('input_price', '-1'), ('id', '0'),
    ('hedge_after', '''1 day 1 second''')) x(c, v);
select throws_ok($$insert into sluice.models (name, url, rpm, burst)
  values ('bad', 'http://h', 600, 301)$$, '23514', null, 'a burst above half the rpm is refused');
select throws_ok($$insert into sluice.models (name, url) values ('bad', 'ftp://h')$$, '23514', null,
  'a url that is not http is refused');
select lives_ok(format($$insert into sluice.models (name, url, rpm, burst)
  values ('rpm-1-%s', 'http://h', 1, 1)$$, pg_backend_pid()), 'rpm 1 with burst 1 is allowed');

select * from finish();
rollback;
