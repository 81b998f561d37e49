begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(6);

select given_speaker() as m \gset
select given_file(array[lines_of_batch(:'m', 1)], 't') as f \gset
select format('{"input_file_id": "file-%s", "endpoint": "/v1/chat/completions", '
              '"completion_window": "2h"}', :f) as body \gset
create function created(p_key text, p_body text, p_tenant text) returns text language sql
as $$ select sluice.create_batch_once(p_key, p_body, p_tenant, false, at(0)) ->> 'id' $$;
select created('k', :'body', 't') as first \gset
select is(created('k', :'body', 't'), :'first', 'the same key and body: the same batch');
select isnt(created('other', :'body', 't'), :'first', 'another key: another batch');
select throws_ok(format('select created(%L, %L, %L)', 'k', replace(:'body', '2h', '3h'), 't'),
  'SL008', null, 'another body: refused');
select throws_ok(format('select created(%L, %L, %L)', 'k', :'body', 'u'), 'SL006', null,
  'another tenant has keys of his own, and no such file');
select is((select count(*) from sluice.batch_key where tenant = 'u'), 0::bigint,
  'a refused create binds nothing');
delete from sluice.batch where 'batch_' || id = :'first';
select isnt(created('k', :'body', 't'), :'first', 'a key goes with its batch');

select * from finish();
rollback;
