// What a user of Anthropic's SDK does with message batches: node anthropic_batches.mjs BASE_URL KEY. The server has a model "claude"
// that answers, and "resting", which does not.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import Anthropic from '@anthropic-ai/sdk';

const [baseURL, apiKey] = process.argv.slice(2);
const client = new Anthropic({ baseURL, apiKey });
const request = (id, model) => ({ custom_id: id, params: { model, max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] } });

async function ended(batch) {
  for (const end = Date.now() + 60_000; ;) {
    const found = await client.messages.batches.retrieve(batch.id);
    if (found.processing_status === 'ended') return found;
    assert(Date.now() < end, 'it has not ended');
    await sleep(50);
  }
}

async function results(batch) {
  const all = [];
  for await (const each of await client.messages.batches.results(batch.id)) all.push(each);
  return all;
}

const made = await client.messages.batches.create({ requests: ['a', 'b', 'c'].map((id) => request(id, 'claude')) });
assert.equal(made.processing_status, 'in_progress');
const whole = await ended(made);
assert.equal(whole.request_counts.succeeded, 3);
const found = await results(whole);
assert.deepEqual(found.map((each) => each.custom_id).sort(), ['a', 'b', 'c']);
assert(found.every((each) => each.result.type === 'succeeded' && each.result.message.content[0].text === 'yes'));

const resting = await client.messages.batches.create({ requests: [request('d', 'resting'), request('e', 'resting')] });
assert.equal((await client.messages.batches.cancel(resting.id)).processing_status, 'canceling');
const cancelled = await ended(resting);
assert.equal(cancelled.request_counts.canceled, 2);
assert((await results(cancelled)).every((each) => each.result.type === 'canceled'));

const seen = [];
for await (const each of client.messages.batches.list({ limit: 1 })) seen.push(each.id);
assert.deepEqual(seen, [resting.id, made.id]);
assert.equal((await client.messages.batches.delete(made.id)).type, 'message_batch_deleted');
await assert.rejects(client.messages.batches.retrieve(made.id), Anthropic.NotFoundError);
await assert.rejects(client.messages.batches.create({ requests: [request('a', 'claude'), request('a', 'claude')] }), Anthropic.BadRequestError);

const said = await client.messages.create({ model: 'claude', max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] });
assert.equal(said.content[0].text, 'yes');
const streamed = client.messages.stream({ model: 'claude', max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] });
let text = '';
streamed.on('text', (delta) => { text += delta; });
const final = await streamed.finalMessage();
assert.equal(text, 'yes');
assert.equal(final.content[0].text, 'yes');
assert.equal(final.stop_reason, 'end_turn');
