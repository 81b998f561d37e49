begin;
\ir ../_helpers.sql
select plan(3);

select given_model(tpm => 1000) as m \gset
select lives_ok(format($$select sluice.check_item_fits('{"prompt": "x", "model": "%s"}')$$, :'m'), 'a small one');
select is((error_of(format($$select sluice.check_item_fits('{"prompt": "x", "model": "%s", "max_output_tokens": 2000}')$$,
  :'m'))).code, 'SL002', 'an answer too long');
select is((error_of(format($$select sluice.check_item_fits(jsonb_build_object('request', repeat('x', 9000), 'model', %L))$$,
  :'m'))).code, 'SL002', 'a request too long');

select * from finish();
rollback;
