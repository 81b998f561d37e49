begin;
\ir ../../_helpers.sql
\ir ../../_batches.sql
select plan(7);

select given_speaker() as m, given_speaker('anthropic-messages') as a \gset
select given_batch(:'m', 1, 't') as b, message_batch(:'a', 1, 't') as mb \gset
select is((sluice.visible_batch(:b, 't', false)).id, :b::bigint, 'his');
select is((sluice.visible_batch(:b, null, false)).id, :b::bigint, 'everybody''s is his');
select is((sluice.visible_batch(:b, 'u', false)).id, null, 'another one''s is not');
select is((sluice.visible_batch(:b, 't', true)).id, null, 'it is none of Anthropic''s');
select is((sluice.visible_batch(:mb, 't', true)).id, :mb::bigint, 'this is one');
select is((sluice.visible_batch(:mb, 't', false)).id, null, 'and none of OpenAI''s');
select given_batch(:'m') as nobodys \gset
select is((sluice.visible_batch(:nobodys, 't', false)).id, null, 'nobody''s is not a tenant''s');

select * from finish();
rollback;
