-- sluice.has_budgets
begin isolation level repeatable read;
\ir ../_helpers.sql
select plan(1);

insert into sluice.models (name, url, api) values ('chat', 'http://127.0.0.1:1', 'openai-chat');
select sluice.submit(model => 'chat', request => '{"max_tokens": 5, "messages": []}') as task \gset
select is((t.bounds).output, 5, 'a request is read although no budget is to be seen')
from sluice.task t where t.id = :task;

select * from finish();
rollback;
