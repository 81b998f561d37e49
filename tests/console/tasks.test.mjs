// What the console's screens of tasks decide without a page: filters, jobs, forecasts, JSON.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EMPTY, bodyOf, faultsOf } from '../../web/console/tasks/draft.js';
import { parseErrorLine, parseResultLine } from '../../web/console/tasks/error_line.js';
import { actionsFor, filterWords, instant, jobFilter, searchPath, tasksOf }
  from '../../web/console/tasks/filters.js';
import { forecast, withSample } from '../../web/console/tasks/forecast.js';
import { indentJson } from '../../web/console/tasks/json_text.js';
import { asBatch } from '../../web/console/tasks/message_batch.js';
import { mergeOverview, workerState } from '../../web/console/screens/parts/overview.js';
import { exhaustion } from '../../web/console/screens/parts/budget.js';
import { aheadIn, hintFor, modelIn, placeOfFinding, withoutCommand }
  from '../../web/console/tasks/sentences.js';

const NOW = Date.parse('2026-11-25T12:00:00Z');

test('a beginning is so long ago, or a time', () => {
  assert.equal(instant('24h', NOW), '2026-11-24T12:00:00.000Z');
  assert.equal(instant('2026-11-25T11:00:00Z', NOW), '2026-11-25T11:00:00.000Z');
  assert.equal(instant('yesterday-ish', NOW), null);
  assert.equal(instant(undefined, NOW), null);
});

test('a worker that said that it ended is not dead', () => {
  const [then, later] = ['2026-11-25T11:59:00.5+00:00', '2026-11-25T12:00:00+00:00'];
  const state = (alive, seen, dead) => workerState({ alive, seen, dead_at: dead });
  assert.equal(state(true, later, null), 'alive');
  assert.equal(state(false, then, null), 'silent');
  assert.equal(state(false, then, then), 'ended');
  assert.equal(state(false, then, later), 'dead');
});

test('a budget is exhausted when nothing is left of it', () => {
  assert.equal(exhaustion({ spent: 0.4, limit: 1 }), 'no room for one more call');
  assert.equal(exhaustion({ spent: 1, limit: 1 }), 'exhausted');
});

test('the search is told the filters that are set, and the page', () => {
  const path = searchPath({ status: 'failed', model: 'a&b "c"', since: '1h', text: '',
    metadata_value: 'without its key', other: 'x' }, NOW, { before: '9223372036854775807' });
  const asked = new URLSearchParams(path.slice(path.indexOf('?')));
  assert.deepEqual(Object.fromEntries(asked), { status: 'failed', model: 'a&b "c"',
    since: '2026-11-25T11:00:00.000Z', before: '9223372036854775807', limit: '50' });
});

test('a job has the filters of the search, or is not offered', () => {
  assert.deepEqual(jobFilter({ status: 'queued', tenant: 't', since: '1h' }, 'cancel', NOW),
    { filter: { status: 'queued', tenant: 't', since: '2026-11-25T11:00:00.000Z' }, cannot: [] });
  assert.deepEqual(jobFilter({ since: '1h' }, 'redrive', NOW).cannot, ['since']);
  assert.deepEqual(jobFilter({ text: 'x', priority: '5' }, 'cancel', NOW).cannot,
    ['priority', 'text']);
  assert.deepEqual(jobFilter({ metadata_key: 'k' }, 'cancel', NOW).cannot,
    ['metadata key without a value']);
});

test('all tasks are meant only where that is said', () => {
  assert.deepEqual(jobFilter({}, 'cancel', NOW).filter, { everything: true });
  assert.deepEqual(jobFilter({}, 'redrive', NOW).filter, { status: 'failed' });
  assert.deepEqual(jobFilter({ text: 'x' }, 'cancel', NOW).filter, {});
});

test('metadata has the type that tasks have', () => {
  const filter = (sample) => jobFilter({ metadata_key: 'n', metadata_value: '5' }, 'cancel', NOW,
    sample).filter.metadata;
  assert.deepEqual(filter({ n: 5 }), { n: 5 });
  assert.deepEqual(filter({ n: '5' }), { n: '5' });
  assert.deepEqual(filter(null), { n: '5' });
});

test('what can be done follows the status', () => {
  assert.deepEqual(actionsFor({ status: 'solved' }), ['forget']);
  assert.deepEqual(actionsFor({ status: 'queued' }), ['cancel', 'move', 'prioritise']);
  assert.deepEqual(actionsFor({ error_code: 'timeout' }), ['redrive', 'forget']);
  assert.equal(actionsFor({}).length, 5);
});

test('a filter in words', () => {
  assert.deepEqual(filterWords({ error_code: 'x', metadata: { a: 1 }, model: null }),
    [['error code', 'x'], ['metadata', '{"a":1}']]);
  assert.deepEqual(filterWords({ everything: true }), []);
});

test('the tasks of a job are found by what it has made of them', () => {
  const job = { state: 'done', to: null, priority: null,
    filter: { model: 'm', status: 'queued', since: '2026-11-25T11:00:00.000Z', batch_id: 7 } };
  const found = { model: 'm', since: '2026-11-25T11:00:00.000Z', batch_id: '7' };
  assert.deepEqual(tasksOf({ ...job, action: 'cancel' }), { ...found, status: 'cancelled' });
  assert.deepEqual(tasksOf({ ...job, action: 'cancel', state: 'undone' }),
    { ...found, status: 'queued' });
  assert.deepEqual(tasksOf({ ...job, action: 'move', to: 'n' }), { ...found, model: 'n' });
  assert.deepEqual(tasksOf({ ...job, action: 'prioritise', priority: 0 }),
    { ...found, priority: '0' });
  const failed = { status: 'failed', error_code: 'x', since: found.since, metadata: { k: 5 } };
  assert.deepEqual(tasksOf({ ...job, action: 'redrive', filter: failed }),
    { metadata_key: 'k', metadata_value: '5' });
  assert.deepEqual(tasksOf({ ...job, action: 'forget', filter: failed }),
    { status: 'failed', error_code: 'x', metadata_key: 'k', metadata_value: '5' });
  assert.equal(tasksOf({ ...job, action: 'cancel', filter: { ids: ['1'] } }), null);
  assert.deepEqual(tasksOf({ ...job, action: 'forget', filter: { everything: true } }), {});
});

test('JSON is indented without a digit lost', () => {
  const text = '{"n":9007199254740993123,"a":[],"b":{"s":"x\\"{}, :"},"n":1e400}';
  const shown = indentJson(text);
  assert.equal(shown.replace(/\n */g, '').replaceAll('": ', '":'), text);
  assert.match(shown, /^\{\n {2}"n": 9007199254740993123,\n {2}"a": \[\],\n/);
  assert.equal(indentJson('no JSON'), null);
  assert.equal(indentJson('{"half": '), null);
  assert.equal(indentJson('"only a text"'), null);
});

test('a forecast follows what was seen, and the mean before that', () => {
  const batch = { total: 1000, done: 100, startedMs: NOW - 100_000, nowMs: NOW, samples: [],
    windowEndMs: NOW + 1_000_000 };
  assert.deepEqual(forecast(batch), { kind: 'finishes', perS: 1, atMs: NOW + 900_000,
    since: 'start', inTime: true });
  const seen = forecast({ ...batch, samples: [{ atMs: NOW - 30_000, done: 85 }] });
  assert.deepEqual([seen.perS, seen.since, seen.inTime], [0.5, 'look', false]);
  const stalled = { ...batch, samples: [{ atMs: NOW - 90_000, done: 100 }] };
  assert.equal(forecast(stalled).kind, 'stalled');
  assert.equal(forecast({ ...batch, done: 0 }).kind, 'unknown');
});

test('looks that go backwards begin anew', () => {
  const samples = withSample([{ atMs: 1, done: 5 }], { atMs: 2, done: 3 });
  assert.deepEqual(samples, [{ atMs: 2, done: 3 }]);
});

test('the sentence says how many are ahead', () => {
  assert.deepEqual(aheadIn('queued for m: 1,311 ahead (about 12 of them by routes), x'),
    { count: 1311, isMore: false });
  assert.deepEqual(aheadIn('queued for m: more than 10,000 ahead'), { count: 10000, isMore: true });
  assert.deepEqual(aheadIn('queued for m: first in its queue'), { count: 0, isMore: false });
  assert.equal(aheadIn('solved on m'), null);
});

test('the sentence has advice for people, not for SQL', () => {
  assert.equal(withoutCommand('failed: x; redrive with sluice redrive 7'), 'failed: x');
  assert.equal(hintFor('queued for m: first in its queue, no live worker serves the model').command,
    'sluice worker');
  assert.match(hintFor('queued for m: 3 ahead, next permit 14:32:10 (rpm 600)').words, /rpm/);
  assert.equal(hintFor('queued for route r: 3 ahead, can be taken by a; not by b (no live worker '
    + 'serves the model)'), null);
  assert.equal(hintFor('solved on m at 12:00:00 after 1 attempt'), null);
});

test('a draft becomes a request with every digit that was typed', () => {
  const body = bodyOf({ ...EMPTY, kind: 'request', request: ' {"seed": 9007199254740993} ',
    model: ' m ', priority: '-5', metadata: '{"n": 9007199254740993}' });
  assert.equal(body, '{"request":{"seed": 9007199254740993},"model":"m","priority":-5,'
    + '"metadata":{"n": 9007199254740993}}');
  assert.deepEqual(JSON.parse(bodyOf({ ...EMPTY, prompt: 'a "b"\n' })), { prompt: 'a "b"\n' });
});

test('a draft that cannot be is not sent', () => {
  assert.deepEqual(Object.keys(faultsOf(EMPTY, true)), ['prompt']);
  assert.deepEqual(Object.keys(faultsOf({ ...EMPTY, prompt: 'x' }, false)), ['model']);
  assert.deepEqual(Object.keys(faultsOf({ ...EMPTY, prompt: 'x', priority: '101', metadata: '[]',
    max_attempts: '0' }, true)), ['metadata', 'priority', 'max_attempts']);
  assert.deepEqual(faultsOf({ ...EMPTY, prompt: 'x', priority: '-100', metadata: '{}' }, true), {});
});

test('a line of the error file says what went wrong', () => {
  assert.deepEqual(parseErrorLine('{"custom_id":"a","response":null,"error":'
    + '{"code":"batch_expired","message":"too late"}}'),
  { custom_id: 'a', code: 'batch_expired', message: 'too late' });
  assert.deepEqual(parseErrorLine('{"custom_id":"b","error":null,"response":'
    + '{"status_code":400,"body":{"error":{"message":"bad","type":"invalid"}}}}'),
  { custom_id: 'b', code: 'invalid', message: 'bad' });
  assert.equal(parseErrorLine('<html>').code, 'not JSON');
});

test('chosen tasks are named by their ids', () => {
  assert.deepEqual(filterWords({ ids: ['9007199254740993', '7'] }),
    [['ids', '9007199254740993, 7']]);
});

test('a line of results has failed, or is none', () => {
  const line = (result) => parseResultLine(JSON.stringify({ custom_id: 'a', result }));
  assert.equal(line({ type: 'succeeded', message: {} }), null);
  assert.deepEqual(line({ type: 'errored', error: { type: 'error',
    error: { type: 'invalid_request_error', message: 'too long' } } }),
  { custom_id: 'a', code: 'invalid_request_error', message: 'too long' });
  assert.deepEqual(line({ type: 'expired' }),
    { custom_id: 'a', code: 'expired', message: 'The batch expired before.' });
  assert.equal(parseResultLine('{').code, 'not JSON');
});

test('a message batch is shown as any other', () => {
  const batch = { id: 'msgbatch_7', processing_status: 'in_progress', request_counts:
    { processing: 3, succeeded: 0, errored: 0, canceled: 0, expired: 0 }, progress: { total: 3,
    completed: 1, failed: 0, in_progress_at: '2026-11-25T12:00:00Z' }, ended_at: null,
  created_at: '2026-11-25T11:00:00Z', expires_at: '2026-11-26T11:00:00Z',
  cancel_initiated_at: null, results_url: null };
  const shown = asBatch(batch);
  assert.deepEqual([shown.status, shown.request_counts.completed, shown.in_progress_at,
    shown.results_path], ['in_progress', 1, NOW / 1000, null]);
  const ended = asBatch({ ...batch, processing_status: 'ended', ended_at: '2026-11-25T12:00:00Z',
    results_url: '/v1/x', request_counts: { ...batch.request_counts, canceled: 2 } });
  assert.deepEqual([ended.status, ended.cancelled_at, ended.completed_at, ended.results_path],
    ['cancelled', NOW / 1000, null, 'v1/messages/batches/msgbatch_7/results']);
});

test('rows of models follow the stream', () => {
  const closed = { model: 'closed', state: 'closed', state_until: 'infinity' };
  const list = { object: 'list', data: [{ model: 'gone' }, { model: 'same' },
    { ...closed, state_reason: 'its words', why: 'closed: its words' }] };
  const told = (row) => mergeOverview(list, { object: 'list', gone: ['gone'],
    data: [{ ...closed, state_reason: 'a class', why: 'closed: a class', depth: 1, ...row }],
  }).data.map((one) => [one.model, one.depth, one.why]);
  assert.deepEqual(told({}),
    [['same', undefined, undefined], ['closed', 1, 'closed: its words']]);
  assert.deepEqual(told({ state: 'open', why: null }),
    [['same', undefined, undefined], ['closed', 1, null]]);
});

test('a finding leads to what it speaks of', () => {
  const models = ['a', 'a b', 'gpt-4.1'];
  const names = (finding) => modelIn(finding, models).model;
  assert.equal(names('the breaker of model gpt-4.1 is open'), 'gpt-4.1');
  assert.equal(names('model a b has 7 unfinished tasks and no live worker'), 'a b');
  assert.equal(names('model a is parked: model a b'), 'a');
  assert.equal(names('worker w is to serve model gone, which does not exist'), null);
  assert.equal(names('the model of all'), null);
  assert.deepEqual(modelIn('model a: no secret', models),
    { before: 'model ', model: 'a', after: ': no secret' });
  const place = (check, finding, model = null) => {
    const found = placeOfFinding({ check, finding, way_out: '' }, model);
    return found && [found.to, found.query];
  };
  assert.deepEqual(place('errors', '', 'a'), ['dead-letters', { model: 'a' }]);
  assert.deepEqual(place('backends', '', 'a'), [['models', 'a'], { view: 'settings' }]);
  assert.deepEqual(place('roles', 'tenant t is bound to role r, which does not exist'),
    [['tenants', 't'], { view: 'settings' }]);
  assert.deepEqual(place('disk', 'make room: a shorter settings.retention'),
    ['system', { view: 'settings' }]);
  assert.equal(place('schema', '3 migrations are pending'), null);
});
