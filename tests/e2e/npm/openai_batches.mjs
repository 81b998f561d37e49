// What a user of OpenAI's SDK does with files and batches: node openai_batches.mjs SDK BASE_URL KEY SCENARIO. The server has a
// model "chat" that answers, and "paused", which does not.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const [sdk, baseURL, apiKey, scenario] = process.argv.slice(2);
const { default: OpenAI, toFile } = await import(sdk);
const client = new OpenAI({ baseURL, apiKey });

const line = (id, model = 'chat') => JSON.stringify({
  custom_id: id, method: 'POST', url: '/v1/chat/completions', body: { model, messages: [{ role: 'user', content: `prompt of ${id}` }] },
});
const jsonl = (ids, model) => ids.map((id) => `${line(id, model)}\n`).join('');
const names = (count) => Array.from({ length: count }, (_, n) => `r-${n}`);
const upload = async (text) => client.files.create({ file: await toFile(Buffer.from(text), 'in.jsonl'), purpose: 'batch' });
const create = (file, more = {}) => client.batches.create({
  input_file_id: file.id, endpoint: '/v1/chat/completions', completion_window: '24h', ...more,
});

async function until(batch, ...wanted) {
  for (const end = Date.now() + 60_000; ;) {
    const found = await client.batches.retrieve(batch.id);
    if (wanted.includes(found.status)) return found;
    assert(Date.now() < end && !['failed', 'completed', 'expired', 'cancelled'].includes(found.status), `it is ${found.status}`);
    await sleep(50);
  }
}

async function linesOf(id) {
  if (!id) return [];
  const response = await client.files.content(id);
  return (await response.text()).trim().split('\n').map((text) => JSON.parse(text));
}

const scenarios = {
  async uploads() {
    const text = jsonl(names(3));
    const place = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'sluice-sdk-')), 'in.jsonl');
    fs.writeFileSync(place, text);
    for (const file of [new File([new Blob([text])], 'in.jsonl'), await toFile(Buffer.from(text), 'in.jsonl'), fs.createReadStream(place)]) {
      const made = await client.files.create({ file, purpose: 'batch', expires_after: { anchor: 'created_at', seconds: 7200 } });
      assert.equal(made.object, 'file');
      assert.equal(made.bytes, text.length);
      assert.equal(made.expires_at - made.created_at, 7200);
      assert.deepEqual(await client.files.retrieve(made.id), made);
      assert.equal(await (await client.files.content(made.id)).text(), text);
      assert.equal((await client.files.waitForProcessing(made.id)).status, 'processed');
      const seen = [];
      for await (const each of client.files.list({ limit: 1 })) seen.push(each.id);
      assert(seen.includes(made.id));
      assert.equal((await client.files.delete(made.id)).deleted, true);
      await assert.rejects(client.files.retrieve(made.id), OpenAI.NotFoundError);
    }
    fs.rmSync(path.dirname(place), { recursive: true });
    assert.equal((await upload('')).bytes, 0);
  },

  async batch() {
    const ids = names(100);
    const made = await create(await upload(jsonl(ids)), { metadata: { team: 'search' } });
    assert.equal(made.status, 'validating');
    const ended = await until(made, 'completed');
    assert.deepEqual(ended.request_counts, { total: 100, completed: 100, failed: 0 });
    assert.equal(ended.metadata.team, 'search');
    const outputs = await linesOf(ended.output_file_id);
    assert.deepEqual(outputs.map((each) => each.custom_id).sort(), [...ids].sort());
    assert(outputs.every((each) => each.response.status_code === 200 && each.response.body.choices[0].message.content));
    assert.equal(ended.error_file_id, null);
  },

  async pages() {
    const file = await upload(jsonl(['only'], 'paused'));
    const made = [];
    for (let n = 0; n < 250; ++n) made.push((await create(file)).id);
    const seen = [];
    for await (const each of client.batches.list({ limit: 100 })) seen.push(each.id);
    assert.deepEqual(seen.slice(0, 250), made.reverse());
    assert.equal(new Set(seen).size, seen.length);
  },

  async cancel() {
    const made = await create(await upload(jsonl(names(50), 'paused')));
    await until(made, 'in_progress');
    assert.equal((await client.batches.cancel(made.id)).status, 'cancelling');
    const ended = await until(made, 'cancelled');
    const errors = await linesOf(ended.error_file_id);
    assert.equal(errors.length, 50);
    assert(errors.every((each) => each.response === null && each.error.code === 'batch_cancelled'));
    await assert.rejects(client.batches.cancel(made.id), OpenAI.BadRequestError);
  },

  async expiry() {
    const ended = await until(await create(await upload(jsonl(names(5), 'paused')), { completion_window: '1s' }), 'expired');
    assert((await linesOf(ended.error_file_id)).every((each) => each.error.code === 'batch_expired'));
  },

  async validation() {
    const cases = [
      ['', 'empty_file', null], [`${line('a')}\nnonsense\n`, 'invalid_json_line', 2], [`${line('a')}\n${line('a')}\n`, 'duplicate_custom_id', 2],
      [line('a').replace('/v1/chat/completions', '/v1/embeddings'), 'url_mismatch', 1], [line('a', 'nobody'), 'model_not_found', 1],
      [line('a').replace('POST', 'GET'), 'invalid_request', 1]];
    for (const [text, code, number] of cases) {
      const failed = await until(await create(await upload(text)), 'failed');
      assert.deepEqual(failed.errors.data.map((each) => [each.code, each.line]), [[code, number]]);
      assert.equal(failed.errors.object, 'list');
    }
  },

  async errors() {
    const unknown = new OpenAI({ baseURL, apiKey: `sluice_${'0'.repeat(16)}_${'0'.repeat(64)}` });
    await assert.rejects(unknown.batches.list(), OpenAI.AuthenticationError);
    await assert.rejects(client.batches.retrieve('batch_999999'), OpenAI.NotFoundError);
    await assert.rejects(client.batches.retrieve('nonsense'), OpenAI.NotFoundError);
    await assert.rejects(create({ id: 'file-999999' }), OpenAI.NotFoundError);
    const file = await upload(jsonl(['a']));
    await assert.rejects(create(file, { completion_window: 'soon' }), (error) => error instanceof OpenAI.BadRequestError && /soon/.test(error.message));
    await assert.rejects(client.post('/models/chat/pause'), OpenAI.PermissionDeniedError);
    await assert.rejects(client.chat.completions.create({ model: 'nobody', messages: [] }), OpenAI.NotFoundError);
    const models = [];
    for await (const each of client.models.list()) models.push(each.id);
    assert(models.includes('chat'));
  },

  async completions() {
    const said = await client.chat.completions.create({ model: 'chat', messages: [{ role: 'user', content: '2+2?' }] });
    assert(said.choices[0].message.content);
    let text = '';
    for await (const chunk of await client.chat.completions.create({ model: 'chat', messages: [{ role: 'user', content: '2+2?' }], stream: true })) {
      text += chunk.choices[0]?.delta?.content ?? '';
    }
    assert.equal(text, said.choices[0].message.content);
  },

  // The model "answers" says "yes" by the responses API.
  async responses() {
    let text = '';
    for await (const event of await client.responses.create({ model: 'answers', input: '2+2?', stream: true })) {
      if (event.type === 'response.output_text.delta') text += event.delta;
    }
    assert.equal(text, 'yes');
    const final = await client.responses.stream({ model: 'answers', input: '2+2?' }).finalResponse();
    assert.equal(final.output_text ?? final.output[0].content[0].text, 'yes');
    assert.equal((await client.responses.create({ model: 'answers', input: '2+2?' })).output_text, 'yes');
  },

  // The tenant's cap is one task, which is there: the SDK asks three times, as long after each as it was told.
  async retries() {
    const begun = Date.now();
    await assert.rejects(
      client.chat.completions.create({ model: 'paused', messages: [] }, { maxRetries: 1 }),
      (error) => error instanceof OpenAI.RateLimitError && error.headers.get('retry-after') === '5');
    assert(Date.now() - begun >= 5000);
  },
};

await scenarios[scenario]();
