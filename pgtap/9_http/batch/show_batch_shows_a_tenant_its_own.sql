begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(4);

select given_speaker() as m, given_speaker('anthropic-messages') as a \gset
select given_batch(:'m', 1, 't') as b, message_batch(:'a', 1, 't') as mb \gset
select is(sluice.show_batch(:b, 't', false) ->> 'id', 'batch_' || :b, 'his');
select is(sluice.show_batch(:mb, null, true) ->> 'id', 'msgbatch_' || :mb, 'to who may see all');
select is(sluice.show_batch(:b, 'u', false)::jsonb, null, 'to nobody else');
select is(sluice.show_batch(:b, 't', true)::jsonb, null, 'nor as what it is not');

select * from finish();
rollback;
