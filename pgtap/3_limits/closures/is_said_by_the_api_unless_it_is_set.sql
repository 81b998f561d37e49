begin;
\ir ../../_helpers.sql
select plan(3);

select given_model() as m \gset
select ok(not sluice.keeps_response(model_row(:'m')), 'of api solve the answer is the reply');
update sluice.models set keep_response = true where name = :'m';
select ok(sluice.keeps_response(model_row(:'m')), 'unless it is asked for');
update sluice.models set keep_response = null, api = 'openai-chat' where name = :'m';
select ok(sluice.keeps_response(model_row(:'m')), 'a provider''s says more than its answer');

select * from finish();
rollback;
