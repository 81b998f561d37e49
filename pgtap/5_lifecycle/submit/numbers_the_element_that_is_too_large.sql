begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
update sluice.settings set request_bytes_max = 10;
select code, message from error_of(format($$select sluice.submit_many('[{"prompt": "a",
  "model": "%1$s"}, {"prompt": "01234567890", "model": "%1$s"}]')$$, :'m')) \gset
select is(:'code'::text, 'SL007', 'SL007');
select matches(:'message'::text, '^task 2: ', 'with its number');

select * from finish();
rollback;
