begin;
\ir ../../_helpers.sql
select plan(2);

select given_model() as m \gset
select lives_ok(format('select sluice.require_model(%L)', :'m'), 'a model that there is');
select throws_like($$select sluice.require_model('nobody')$$, '%nobody%',
  'the message names the one that there is not');

select * from finish();
rollback;
