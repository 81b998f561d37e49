begin;
\ir ../../_helpers.sql
select plan(1);

select given_model() as m \gset
select sluice.submit(request => '{ "x" : 1e999, "x": "\u0000" }', model => :'m') as t \gset
select is((select request from sluice.task where id = :t), '{ "x" : 1e999, "x": "\u0000" }',
  'spaces, doubled keys, numbers beyond double and escapes stay as they are');

select * from finish();
rollback;
