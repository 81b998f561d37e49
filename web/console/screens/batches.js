// Batches of OpenAI's API and of Anthropic's: upload, progress, forecast, wrong lines, files.
import { html, useEffect, useRef, useState } from '../html.js';
import { act, urlOf, useApi } from '../api.js';
import { bytes, count, duration, significant } from '../format.js';
import { encodePart, go, link } from '../router.js';
import { can } from '../session.js';
import { Badge, Bar, Facts, Field, FormError, Page, State, Table, Time, ask, toast }
  from '../components/index.js';
import { readErrorLines, readFailedResults } from '../tasks/error_lines.js';
import { forecast, withSample } from '../tasks/forecast.js';
import { asBatch, isOfMessages } from '../tasks/message_batch.js';
import { upload } from '../tasks/upload.js';
import { Tabs } from './parts/tabs.js';

/** @typedef {import('../tasks/types.js').Batch} Batch */

const LIST_MS = 5_000;
const ONE_MS = 3_000;
const LISTED_MAX = 50;
/** As the server takes them. */
const FILE_BYTES_MAX = 200_000_000;
const ENDPOINTS = ['/v1/chat/completions', '/v1/responses', '/v1/embeddings'];
/** Which are listed, by the view in the URL: those of which API.
 * @type {Array<[string, string]>} */
const VIEWS = [['', 'Files, as OpenAI\'s'], ['messages', 'Messages, as Anthropic\'s']];
const OPEN = ['validating', 'in_progress', 'finalizing', 'cancelling'];

/** @param {Batch} batch */
const doneOf = ({ request_counts: counts }) => counts.completed + counts.failed;
/** @param {Batch} batch */
const endOf = (batch) => batch.completed_at ?? batch.failed_at ?? batch.expired_at
  ?? batch.cancelled_at;
/** @param {string} id */
const pathOf = (id) => `v1/${isOfMessages(id) ? 'messages/' : ''}batches/${encodePart(id)}`;
/** The tasks of a batch. @param {string} id */
const tasksOf = (id) => link('tasks', { batch_id: id.replace(/^\w*batch_/, '') });

/** @param {{batch: Batch, short?: boolean}} props */
function Progress({ batch, short = true }) {
  const { total, failed } = batch.request_counts;
  if (!total) {
    return html`<span class="muted"
      >${batch.status === 'validating' ? 'reading lines…'
        : batch.status === 'failed' ? 'nothing was submitted' : '–'}</span>`;
  }
  return html`<${Bar} value=${doneOf(batch)} limit=${total} label="Lines that ended"
    short=${short} />
    ${failed > 0 && html` <span class="bad">${count(failed)} failed</span>`}`;
}

/** @type {Array<Column<Batch>>} */
const COLUMNS = [
  { key: 'id', label: 'Batch', className: 'id' },
  { key: 'status', label: 'Status', render: (batch) => html`<${Badge} status=${batch.status} />` },
  { key: 'progress', label: 'Progress', className: 'progress',
    render: (batch) => html`<${Progress} batch=${batch} />` },
  { key: 'created', label: 'Begun', hide: 'narrow',
    render: (batch) => html`<${Time} at=${batch.created_at} />` },
  { key: 'end', label: 'Ended', hide: 'narrow',
    render: (batch) => html`<${Time} at=${endOf(batch)} />` },
  { key: 'window', label: 'Window ends', hide: 'medium',
    render: (batch) => html`<${Time} at=${batch.expires_at} />` },
  { key: 'endpoint', label: 'Endpoint', hide: 'medium' },
];

/** @param {{onDone: () => void}} props */
function NewBatch({ onDone }) {
  const [file, setFile] = useState(/** @type {File | null} */ (null));
  const [endpoint, setEndpoint] = useState(ENDPOINTS[0]);
  const [span, setSpan] = useState('24h');
  const [share, setShare] = useState(/** @type {number | null} */ (null));
  const [error, setError] = useState(/** @type {any} */ (null));
  const tooLarge = file !== null && file.size > FILE_BYTES_MAX;
  const begin = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (!file) return;
    setError(null);
    setShare(0);
    try {
      const stored = await upload(file, setShare);
      // A request that is repeated underway is not a second batch.
      const batch = await act('POST', 'v1/batches', { input_file_id: stored.id, endpoint,
        completion_window: span.trim() }, { headers: { 'Idempotency-Key': stored.id } });
      onDone();
      go(link(['batches', batch.id]));
    } catch (thrown) {
      setError(thrown);
    }
    setShare(null);
  };
  return html`<form class="panel form" onSubmit=${begin}>
    <div class="field"><label for="batch-file">File of lines (JSONL)</label>
      <input id="batch-file" type="file" required accept=".jsonl,.json,.txt"
        aria-describedby="batch-file-hint"
        onChange=${(/** @type {any} */ event) => setFile(event.target.files[0] ?? null)} />
      <p class=${tooLarge ? 'field-error' : 'field-hint'} id="batch-file-hint">${!file
        ? 'Each line has custom_id, method, url, body, as for OpenAI; at most 50,000 lines, 200 MB.'
        : bytes(file.size) + (tooLarge ? ': more than the server takes.' : '')}</p></div>
    <div class="field-grid">
      <${Field} label="Endpoint" type="select" value=${endpoint} choices=${ENDPOINTS}
        onInput=${setEndpoint} />
      <${Field} label="Window" value=${span} required onInput=${setSpan}
        hint="Such as 24h or 90 minutes. What is not done by then expires." /></div>
    <${FormError} error=${error} />
    <div class="form-buttons"><button type="submit" class="primary"
      disabled=${!file || tooLarge || share !== null}
      >${share === null ? 'Upload and begin' : 'Uploading…'}</button>
      ${share !== null && html`<progress max="1" value=${share}
        aria-label="Upload"></progress>`}</div></form>`;
}

const NONE = html`<p>There is no batch yet.</p><p class="muted">A batch is a file of requests that
  are answered by and by, at the pace that quotas allow. OpenAI's SDKs send them, too.</p>`;

const NO_MESSAGES = html`<p>There is no message batch yet.</p><p class="muted">Anthropic's SDKs send
  them: many messages at once, answered by and by at the pace that quotas allow.</p>`;

/** @param {{query: Record<string, string>, session: Session}} props */
function BatchList({ query, session }) {
  const isMessages = query.view === 'messages';
  const batches = useApi(`v1/${isMessages ? 'messages/' : ''}batches?limit=${LISTED_MAX}`,
    { interval: LIST_MS });
  const [isNew, setNew] = useState(false);
  const isForm = isNew && !isMessages;
  return html`<${Page} title="Batches"
    actions=${can(session, 'submit') && !isMessages && html`<button
      type="button" aria-expanded=${String(isNew)} class=${isNew ? undefined : 'primary'}
      onClick=${() => setNew(!isNew)}>${isNew ? 'Not now' : 'New batch'}</button>`}>
    <${Tabs} view=${isMessages ? 'messages' : ''} views=${VIEWS} />
    ${isForm && html`<${NewBatch} onDone=${() => setNew(false)} />`}
    <${State} of=${batches} empty=${isMessages ? NO_MESSAGES : NONE}>${
      (/** @type {any} */ list) => html`
      <div class="stack"><${Table} caption="Batches, newest first" columns=${COLUMNS}
        rows=${list.data.map((/** @type {any} */ one) => (isOfMessages(one.id) ? asBatch(one)
          : one))}
        rowKey=${(/** @type {Batch} */ { id }) => id}
        href=${(/** @type {Batch} */ { id }) => link(['batches', id])} />
      ${list.has_more && html`<p class="muted">The newest ${LISTED_MAX}.</p>`}</div>`}<//><//>`;
}

/** When it will be finished, by how it went while the page was open or since it began.
 * @param {{batch: Batch, at: number}} props at: when the counts came, in ms */
function Forecast({ batch, at }) {
  const samples = useRef(/** @type {Array<import('../tasks/forecast.js').Sample>} */ ([]));
  const done = doneOf(batch);
  if (samples.current.at(-1)?.atMs !== at) {
    samples.current = withSample(samples.current, { atMs: at, done });
  }
  if (batch.status !== 'in_progress') return null;
  const told = forecast({ total: batch.request_counts.total, done, nowMs: at,
    samples: samples.current,
    startedMs: batch.in_progress_at === null ? null : batch.in_progress_at * 1000,
    windowEndMs: batch.expires_at * 1000 });
  if (told.kind === 'stalled') {
    return html`<p class="warning">No line has ended for a while.
      ${' '}<a href=${tasksOf(batch.id)}>Its tasks</a> say why they wait.</p>`;
  }
  const finish = told.kind === 'finishes' ? told.atMs / 1000 : null;
  if (finish === null || told.kind !== 'finishes') {
    return html`<p class="muted">Too early for a forecast.</p>`;
  }
  const rate = told.perS >= 1 ? `${significant(told.perS, 3)} lines a second`
    : `${significant(told.perS * 60, 3)} lines a minute`;
  return html`<p class=${told.inTime ? undefined : 'warning'}>
    ${told.inTime ? 'Finished at about ' : 'Too slow for its window: finished at about '}
    <b><${Time} at=${finish} /></b>, at ${rate}
    ${told.since === 'look' ? ' as of now' : ' on average'}.
    ${' '}The window ends <${Time} at=${batch.expires_at} />${told.inTime
      && `, ${duration(batch.expires_at - finish)} later`}.</p>`;
}

/** Lines that were wrong, so that nothing was submitted. @param {{batch: Batch}} props */
function WrongLines({ batch }) {
  const wrong = batch.errors?.data ?? [];
  if (wrong.length === 0) return null;
  return html`<section><h2>Wrong lines</h2>
    <p class="muted">Mend these and upload the file
      again.${wrong.length >= 100 && ' The first 100 are shown.'}</p>
    <${Table} caption="Wrong lines" rows=${wrong}
      rowKey=${(/** @type {any} */ one) => JSON.stringify(one)}
      columns=${[
        { key: 'line', label: 'Line', render: (/** @type {any} */ { line }) =>
          (line === null ? 'whole file' : count(line)) },
        { key: 'code', label: 'Code' },
        { key: 'message', label: 'Message', className: 'message' },
        { key: 'param', label: 'Key', render: (/** @type {any} */ { param }) => param ?? '–' },
      ]} /></section>`;
}

/** Lines that ended without an answer.
 * @param {{id: string, read: typeof readErrorLines}} props id: of what read reads */
function FailedLines({ id, read }) {
  const [found, setFound] = useState(/** @type {any} */ (null));
  const [error, setError] = useState(/** @type {any} */ (null));
  useEffect(() => {
    const control = new AbortController();
    read(id, control.signal).then(setFound, (thrown) => {
      if (!control.signal.aborted) setError(thrown);
    });
    return () => control.abort();
  }, [id]);
  return html`<section><h2>Failed lines</h2>
    ${error && html`<p class="muted">They cannot be read: ${error.message}</p>`}
    ${found && html`<${Table} caption="Failed lines" rows=${found.lines}
      rowKey=${(/** @type {any} */ one) => one.custom_id} columns=${[
        { key: 'custom_id', label: 'Line', className: 'id' },
        { key: 'code', label: 'Code' },
        { key: 'message', label: 'Message', className: 'message' }]} />
      ${found.hasMore && html`<p class="muted">The first ${count(found.lines.length)}; the download
        has all.</p>`}`}</section>`;
}

/** @param {{id: string | null, name: string, path?: string | null}} props */
function FileLink({ id, name, path = `v1/files/${id}/content` }) {
  return id && path && html`<a class="button" href=${urlOf(path)}
    download=${`${id}.jsonl`}>${name}</a>`;
}

/** @param {Batch} batch */
function askCancel(batch) {
  return ask({ title: 'Cancel this batch?', action: 'Cancel the batch', danger: true,
    body: html`<p>What is done stays in the output file. Calls under way are aborted.</p>`,
    run: async () => {
      await act('POST', `${pathOf(batch.id)}/cancel`);
      toast('Nothing further of it begins.');
    } });
}

/** @param {{batch: Batch, at: number}} props */
function BatchBody({ batch, at }) {
  const ended = endOf(batch);
  return html`<div class="stack">
    <div class="panel"><${Progress} batch=${batch} short=${false} />
      <${Forecast} batch=${batch} at=${at} /></div>
    <p class="file-links"><${FileLink} id=${batch.output_file_id} name="Download answers" />
      <${FileLink} id=${batch.error_file_id} name="Download errors" />
      <${FileLink} id=${batch.input_file_id} name="Download input" />
      <${FileLink} id=${batch.id} name="Download results" path=${batch.results_path ?? null} />
      <a class="button" href=${tasksOf(batch.id)}>Its tasks</a></p>
    <${WrongLines} batch=${batch} />
    ${batch.error_file_id && html`<${FailedLines} id=${batch.error_file_id}
      read=${readErrorLines} />`}
    ${batch.results_path && batch.request_counts.completed < batch.request_counts.total
      && html`<${FailedLines} id=${batch.id} read=${readFailedResults} />`}
    <${Facts} rows=${[
      ['Endpoint', batch.endpoint],
      ['Begun', html`<${Time} at=${batch.created_at} />`],
      ['Ended', ended ? html`<${Time} at=${ended} />` : 'not yet'],
      ['Window', html`${batch.completion_window}, to <${Time} at=${batch.expires_at} />`],
      ['Input', batch.input_file_id],
      ...Object.entries(batch.metadata ?? {})]} /></div>`;
}

/** @param {{id: string, session: Session}} props */
function OneBatch({ id, session }) {
  const isOver = useRef(false);
  /** @type {Loaded<any>} */
  const answer = useApi(pathOf(id), { interval: isOver.current ? 0 : ONE_MS });
  /** @type {Batch | null} */
  const batch = answer.data && isOfMessages(id) ? asBatch(answer.data) : answer.data;
  isOver.current = batch !== null && !OPEN.includes(batch.status);
  const mayCancel = batch && can(session, 'submit')
    && ['validating', 'in_progress'].includes(batch.status);
  return html`<${Page} name=${id} title=${html`Batch <span class="id">${id}</span>
      ${batch && html` <${Badge} status=${batch.status} />`}`}
    actions=${mayCancel && html`<button type="button" class="danger"
      onClick=${() => askCancel(batch)}>Cancel</button>`}>
    <${State} of=${answer}>${() => html`
      <${BatchBody} batch=${batch} at=${answer.at} />`}<//><//>`;
}

/** @param {ScreenProps} props */
export default function Batches({ params, query, session }) {
  return params.id ? html`<${OneBatch} key=${params.id} id=${params.id} session=${session} />`
    : html`<${BatchList} query=${query} session=${session} />`;
}
