begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
select lives_ok(format('select sluice.read_drafts(%L, at(0))',
  jsonb_build_array(jsonb_build_object('prompt', 'p', 'model', :'m'))), 'good ones pass');
select throws_like(format('select sluice.read_drafts(%L, at(0))',
  jsonb_build_array(jsonb_build_object('prompt', 'p', 'model', :'m'),
  jsonb_build_object('prompt', 'p', 'model', 'nobody'), '1'::jsonb)), 'task 2: %nobody%',
    'the first of two bad ones is named');
select throws_ok($$select sluice.read_drafts('"x"', at(0))$$, 'SL004', null,
  'a string is no array');

select * from finish();
rollback;
