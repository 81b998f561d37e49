begin;
\ir ../../_helpers.sql
select plan(5);

select is(sluice.without_userinfo(given), wanted, given) from (values
  ('calls go to https://user:p@ss@host/x@y?z', 'calls go to https://host/x@y?z'),
  ('{"url": ["http://u:p@h:1", "https://h/"]}', '{"url": ["http://h:1", "https://h/"]}'),
  ('{"url": "http://u:a\"b\\c@h/", "x": "\"@"}', '{"url": "http://h/", "x": "\"@"}'),
  ('http://h/a@b and mail@example.org', 'http://h/a@b and mail@example.org')) v(given, wanted);
select given_model() as m \gset
select sluice.configure('models', :'m', '{"url": "http://user:hidden@h/"}', false) \g /dev/null
select is((select detail ->> 'url' from sluice.audit where object = :'m'
  and action = 'change models'), 'http://h/', 'the audit keeps none');

select * from finish();
rollback;
