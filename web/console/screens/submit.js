// A form for one task; afterwards its life, as it happens: the first minute of a newcomer.
import { html, useEffect, useState } from '../html.js';
import { act, request, useApi } from '../api.js';
import { encodePart, link, setQuery } from '../router.js';
import { can } from '../session.js';
import { Badge, Copy, Field, FormError, Page, Problem, State } from '../components/index.js';
import { EMPTY, bodyOf, faultsOf } from '../tasks/draft.js';
import { Why, useLife } from '../tasks/life.js';
import { Texts } from '../tasks/texts.js';
import { Timeline } from '../tasks/timeline.js';
import { useModels } from './parts/prices.js';

/** @typedef {import('../tasks/types.js').Life} Life */
/** @typedef {import('../tasks/draft.js').Draft} Draft */

/** Fields that are folded away until one of them is at fault. */
const MORE = ['priority', 'max_output_tokens', 'max_attempts', 'metadata'];

/** @param {{draft: Draft, set: (changes: Partial<Draft>) => void,
 *   faults: Record<string, string>, session: Session}} props */
function MoreFields({ draft, set, faults, session }) {
  const field = (/** @type {keyof Draft} */ name, /** @type {string} */ label,
    /** @type {any} */ options = {}) => html`<${Field} label=${label} value=${draft[name]}
      error=${faults[name]} onInput=${(/** @type {string} */ value) => set({ [name]: value })}
      ...${options} />`;
  return html`<details class="more-fields" open=${MORE.some((name) => faults[name])}>
    <summary>More: priority, deadline, metadata…</summary>
    <div class="field-grid">
      ${field('priority', 'Priority', { type: 'integer', placeholder: '0',
        hint: '-100 to 100; higher goes first' })}
      ${!session.tenant && field('tenant', 'Tenant', { placeholder: 'default' })}
      ${field('run_at', 'Not before', { type: 'datetime-local' })}
      ${field('deadline', 'Deadline', { type: 'datetime-local',
        hint: 'Not begun by then, it expires' })}
      ${field('max_output_tokens', 'Output tokens at most', { type: 'integer' })}
      ${field('max_attempts', 'Attempts at most', { type: 'integer' })}
      ${field('idempotency_key', 'Idempotency key',
        { hint: 'Submitted again under the same key, it is the same task' })}
    </div>
    ${field('metadata', 'Metadata', { type: 'textarea', rows: 3, placeholder: '{"run": "nightly"}',
      hint: 'A JSON object; tasks are found by it' })}</details>`;
}

/** @param {{draft: Draft, set: (changes: Partial<Draft>) => void, models: Array<string> | null,
 *   session: Session, error: any, isBusy: boolean, onSubmit: (event: Event) => void,
 *   faults: Record<string, string>, hasDefault: boolean}} props models: null: this key may not see
 *   them */
function Form({ draft, set, models, session, error, isBusy, onSubmit, faults, hasDefault }) {
  const choices = /** @type {Array<[string, string]>} */ ([
    ['', hasDefault ? 'the default model' : 'choose…'],
    ...(draft.model && !models?.includes(draft.model) ? [draft.model] : []).concat(models ?? [])
      .map((name) => [name, name])]);
  const isPrompt = draft.kind === 'prompt';
  return html`<form class="panel form" onSubmit=${onSubmit} noValidate
    onKeyDown=${(/** @type {KeyboardEvent} */ event) => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onSubmit(event);
    }}>
    <div class="choices" role="group" aria-label="What is sent">
      ${[['prompt', 'Prompt'], ['request', 'Verbatim request']].map(([kind, text]) => html`<button
        type="button" key=${kind} aria-pressed=${String(draft.kind === kind)}
        onClick=${() => set({ kind })}>${text}</button>`)}</div>
    ${isPrompt ? html`<${Field} key="prompt" label="Prompt" type="textarea" rows=${6}
        value=${draft.prompt} error=${faults.prompt} autofocus placeholder="Why is the sky blue?"
        hint="Ctrl+Enter submits."
        onInput=${(/** @type {string} */ prompt) => set({ prompt })} />`
      : html`<${Field} key="request" label="Request" type="textarea" rows=${8}
        value=${draft.request} error=${faults.request}
        placeholder='{"messages": [{"role": "user", "content": "Why is the sky blue?"}]}'
        hint="A body in the model's own API, kept byte for byte."
        onInput=${(/** @type {string} */ value) => set({ request: value })} />`}
    <${Field} label="Model or route" type=${models ? 'select' : 'text'} value=${draft.model}
      error=${faults.model} choices=${choices}
      placeholder=${models ? undefined : 'the default model'}
      onInput=${(/** @type {string} */ model) => set({ model })} />
    <${MoreFields} draft=${draft} set=${set} faults=${faults} session=${session} />
    <${FormError} error=${error} />
    <div class="form-buttons"><button type="submit" class="primary" disabled=${isBusy}>
      ${isBusy ? 'Submitting…' : 'Submit'}</button></div></form>`;
}

/** Kind words for the first minute, by where the task is.
 * @type {Record<string, string>} */
const WORDS = {
  unsolved: 'It is stored, and waits for its time, or for a budget. You may close this page.',
  queued: 'It is stored and cannot be lost. It waits for its turn; you may close this page.',
  processing: 'A worker has sent it to the model, and waits for the answer.',
  solved: 'The model has answered.',
  failed: 'It failed. Mend what the error says, and redrive it on its page: nothing is lost.',
  cancelled: 'It was cancelled.',
  expired: 'Its deadline passed before it could begin.',
};

/** @param {{id: string, session: Session}} props */
function Submitted({ id, session }) {
  const life = useLife(id);
  const { unpriced } = useModels();
  return html`<section class="panel submitted" aria-label="The task that was submitted">
    <h2>Task <a href=${link(['tasks', id])}>${id}</a>
      ${life.data && html` <${Badge} status=${life.data.task.status} />`}
      ${' '}<${Copy} text=${id} label="Copy id" /></h2>
    <${State} of=${life} rows=${3}>${(/** @type {Life} */ data) => html`
      <div class="stack"><p role="status">${WORDS[data.task.status] ?? ''}</p>
      <${Why} life=${life} session=${session} />
      <${Timeline} events=${data.events} status=${data.task.status} unpriced=${unpriced} />
      ${life.isOver && html`<${Texts} key=${id} id=${id} />`}</div>`}<//></section>`;
}

/** Where there is no model yet, a form would only be refused.
 * @param {{session: Session}} props */
function NoModels({ session }) {
  const command = 'sluice model set mine url=http://127.0.0.1:8090';
  return html`<div class="empty"><p><b>There is no model yet</b>, so nothing can answer a task.</p>
    ${can(session, 'admin') ? html`<p>Add the first one on
        ${' '}<a href=${link('models')}>Models</a>, or in a shell beside the database:</p>
        <p><code>${command}</code> <${Copy} text=${command} /></p>
        <p class="muted"><code>sluice mock</code> is a stand-in backend at that address, to try
          things with. The form appears here as soon as there is a model.</p>`
      : html`<p>Ask whoever runs this server to add one.</p>`}</div>`;
}

/** Whether a worker lives: a newcomer's task would wait for ever without one.
 * @param {{session: Session}} props */
function WorkerNote({ session }) {
  const workers = useApi(session.tenant || !can(session, 'read') ? null : 'v1/workers',
    { interval: 10_000 });
  if (!workers.data || workers.data.data.some((/** @type {any} */ { alive }) => alive)) return null;
  return html`<p class="warning">No worker is running: tasks are stored, and wait until one is.
    Start it beside the database: <code>sluice worker</code> <${Copy} text="sluice worker" /></p>`;
}

/** The draft of another submit of the texts of task `from`.
 * @param {string | undefined} from
 * @param {(changes: Partial<Draft>) => void} set */
function useTextsOf(from, set) {
  const [error, setError] = useState(/** @type {any} */ (null));
  const [isAsked, setAsked] = useState(false);
  const load = async () => {
    setError(null);
    setAsked(true);
    try {
      const texts = await request('GET', `v1/tasks/${encodePart(from ?? '')}/texts`);
      if ((texts.cut ?? []).length > 0) throw new Error('Its texts are too long for a form.');
      set(typeof texts.request === 'string' ? { kind: 'request', request: texts.request }
        : { kind: 'prompt', prompt: texts.prompt ?? '' });
    } catch (thrown) {
      setError(thrown);
    }
  };
  useEffect(() => setAsked(false), [from]);
  return { load, error, isAsked };
}

/** Sends a task's texts again, as a new task: for instance to another model.
 * @param {{from: string, set: (changes: Partial<Draft>) => void}} props */
function Again({ from, set }) {
  const { load, error, isAsked } = useTextsOf(from, set);
  if (error) return html`<${Problem} error=${error} onRetry=${load} />`;
  if (isAsked) {
    return html`<p class="muted">A new task with the texts of ${from}; choose its model.</p>`;
  }
  return html`<p>Task <a href=${link(['tasks', from])}>${from}</a> stays with its model. A new task
    with its texts may go to another: <button type="button" onClick=${load}>Read its texts</button>
    ${' '}<span class="muted">That is noted in the audit log.</span></p>`;
}

/** Whether a task that names no model has one; who may not read the settings is told by the answer.
 * @param {Session} session */
function useDefault(session) {
  const settings = useApi(can(session, 'admin') ? 'v1/settings' : null);
  return !settings.data || settings.data.default_model !== null;
}

/** @param {ScreenProps} props */
export default function Submit({ query, session }) {
  const isReader = can(session, 'read');
  const models = useApi(isReader ? 'v1/models' : null, { interval: 5_000 });
  const names = (models.data?.data ?? []).map((/** @type {any} */ { id }) => id);
  const hasDefault = useDefault(session);
  const [typed, setDraft] = useState({ ...EMPTY, model: query.model ?? '' });
  const own = names.filter((/** @type {string} */ name) => name !== 'any');
  const draft = typed.model === '' && !hasDefault && own.length === 1
    ? { ...typed, model: own[0] } : typed;
  const [isTried, setTried] = useState(false);
  const [error, setError] = useState(/** @type {any} */ (null));
  const [isBusy, setBusy] = useState(false);
  const set = (/** @type {Partial<Draft>} */ changes) =>
    setDraft((old) => ({ ...old, ...changes }));
  const found = faultsOf(draft, hasDefault);
  const faults = isTried ? found : {};
  const submit = async (/** @type {any} */ event) => {
    event.preventDefault();
    if (isBusy || event.repeat) return;
    setTried(true);
    if (Object.keys(found).length > 0) return;
    setBusy(true);
    setError(null);
    try {
      const made = await act('POST', 'v1/tasks', new Blob([bodyOf(draft)],
        { type: 'application/json' }));
      setTried(false);
      setQuery({ id: made.id, from: null });
    } catch (thrown) {
      setError(thrown);
    }
    setBusy(false);
  };
  const hasNone = isReader && models.data && names.length === 0;
  return html`<${Page} title="Submit a task"
    note="It is stored first, and called when its turn comes.">
    ${hasNone ? html`<${NoModels} session=${session} />` : html`
      <${WorkerNote} session=${session} />
      ${query.from && isReader
        && html`<${Again} key=${query.from} from=${query.from} set=${set} />`}
      <${Form} draft=${draft} set=${set} models=${isReader ? names : null} session=${session}
        error=${error} isBusy=${isBusy} onSubmit=${submit} faults=${faults}
        hasDefault=${hasDefault} />
      ${query.id && (isReader
        ? html`<${Submitted} key=${query.id} id=${query.id} session=${session} />`
        : html`<p role="status">Task ${query.id} is stored. This key may not read it.</p>`)}`}<//>`;
}
