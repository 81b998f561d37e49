begin;
\ir ../../_helpers.sql
select plan(5);

delete from sluice.models;
set constraints all immediate;
select is(sluice.names_text(), 'There are no models yet: sluice model set NAME url=… makes one.',
  'none');
insert into sluice.models (name, url) values ('b', 'http://h'), (repeat('a', 60), 'http://h');
select is(sluice.names_text(), format('Known are %s, any, b.', repeat('a', 50)),
  'models and routes, by name, cut');
insert into sluice.models (name, url) select 'c' || n, 'http://h' from generate_series(10, 26) n;
select matches(sluice.names_text(), 'c25, c26\.$', 'twenty');
insert into sluice.models (name, url) select 'd' || n, 'http://h' from generate_series(1, 3) n;
select matches(sluice.names_text(), 'c25, c26 and 3 more\.$', 'and more');

select is(sluice.first_names(array['one', repeat('t', 60)]),
  format('one, %s', repeat('t', 50)), 'those that it is given, and no others');

select * from finish();
rollback;
