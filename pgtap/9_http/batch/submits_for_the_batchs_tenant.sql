begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(2);

select given_speaker() as m \gset
select given_batch(:'m', 2, 't') as b, given_batch(:'m', 2) as nobodys \gset
select format('{"api": "openai-chat", "request": {"model": "%s"}}', :'m') as good \gset
select advanced(:b, 'submit'), advanced(:nobodys, 'submit') \g /dev/null
select sluice.submit_lines_singly(batch_row(b), array[1, 2],
  array[:'good', format('{"tenant": "u", "prompt": "x", "model": "%s"}', :'m')], at(1))
from unnest(array[:b, :nobodys]) b \g /dev/null
select is(array(select t.tenant from sluice.task t
  where t.id = any (tasks_of_batch(:b) || tasks_of_batch(:nobodys)) order by t.id),
  array['t', 'default', 'u'], 'or for who is named');
select is((select error_code from sluice.batch_line where batch = :b and line = 2), 'SL009',
  'never for another one');

select * from finish();
rollback;
