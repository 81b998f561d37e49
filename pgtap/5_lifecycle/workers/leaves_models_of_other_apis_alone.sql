begin;
\set alone
\ir ../../_helpers.sql
select plan(6);

select given_model() as spoken \gset
select given_model() as foreign \gset
update sluice.models set api = 'openai-chat' where name = :'foreign';
select given_worker(array[:'spoken', :'foreign']) as w \gset
select is(sluice.served_models(:w), array[id_of(:'spoken'), id_of(:'foreign')],
  'a worker that does not say speaks all');
select is(sluice.worker_speaks(:w, array['solve', 'solve']), :w::bigint, 'it gives the id back');
select is(sluice.served_models(:w), array[id_of(:'spoken')],
  'a model of another api is none of its business');
select given_task(:'foreign') \g /dev/null
select is(claimed(:w, 1), '{}', 'it claims none of its tasks');
select ok(not sluice.unfinished(:w), 'it does not wait for them');
select ok(not work, 'and they do not keep it awake')
from sluice.take_sleeper_locks(:w, '{}', at(1));
select sluice.drop_sleeper_locks(array[id_of(:'spoken') % 64]);

select * from finish();
rollback;
