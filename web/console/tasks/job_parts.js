// Bulk actions as jobs of the server: the question before one, and how far one is.
import { html, useEffect, useRef, useState } from '../html.js';
import { act, loadAnew, request, useApi } from '../api.js';
import { count, plural } from '../format.js';
import { encodePart, link } from '../router.js';
import { Badge, Bar, Dialog, Field, FormError } from '../components/index.js';
import { filterWords, tasksOf } from './filters.js';

/** @typedef {import('./types.js').Job} Job */

/** How often a job that works is looked at. */
const LOOK_MS = 1_000;
/** A line or two of the page. */
const IDS_SHOWN = 20;
export const WORKING = ['counting', 'running', 'cancelling', 'undoing'];

/** @type {Record<string, {name: string, title: string, done: string, danger?: boolean,
 *   warning?: string}>} */
export const ACTIONS = {
  cancel: { name: 'Cancel', title: 'Cancel tasks', done: 'cancelled', danger: true,
    warning: 'Calls under way are aborted. What is cancelled can be redriven.' },
  redrive: { name: 'Redrive', title: 'Redrive tasks', done: 'redriven' },
  move: { name: 'Move', title: 'Move tasks to another model or route', done: 'moved' },
  prioritise: { name: 'Prioritise', title: 'Change the priority of tasks', done: 'changed' },
  forget: { name: 'Forget', title: 'Forget the texts of tasks', done: 'forgotten', danger: true,
    warning: 'Prompts, answers and replies are erased for good. There is no undo.' },
};

/** What a job does, in words: "Move to claude". @param {Job} job */
export function nameOf(job) {
  const name = ACTIONS[job.action]?.name ?? job.action;
  if (job.to) return `${name} to ${job.to}`;
  return job.action === 'prioritise' ? `${name} to ${job.priority}` : name;
}

/** @param {{filter: Record<string, any> | null | undefined}} props */
export function FilterWords({ filter }) {
  const words = filterWords(filter);
  if (words.length === 0) return html`<span class="muted">all tasks</span>`;
  return html`<ul class="filter-words">${words.map(([name, value]) => html`<li key=${name}>
    <span class="muted">${name}</span>
      <span class="clamp" title=${value}>${value}</span></li>`)}</ul>`;
}

/** The way from a job to its tasks, as they are now. @param {{job: Job}} props */
export function JobTasks({ job }) {
  const query = tasksOf(job);
  if (query) return html`<a href=${link('tasks', query)}>Find them among the tasks</a>`;
  /** @type {Array<string>} */
  const ids = job.filter?.ids.map(String) ?? [];
  const shown = ids.slice(0, IDS_SHOWN);
  return html`${shown.map((id, n) => html`${n > 0 && ', '}<a key=${id} class="id"
    href=${link(['tasks', id])}>${id}</a>`)}${ids.length > shown.length
    && html`, <span class="muted">and ${count(ids.length - shown.length)} more</span>`}`;
}

/** @param {{job: Job}} props */
export function JobProgress({ job }) {
  if (job.matched === null) {
    return html`<span class="muted">${job.state === 'counting' ? 'counting…' : '–'}</span>`;
  }
  const looked = job.done + job.skipped;
  if (job.matched === 0 && looked === 0) return html`<span class="muted">no task matched</span>`;
  if (['undoing', 'undone'].includes(job.state)) {
    return html`<${Bar} value=${job.undone} limit=${job.done} short=${false} label="undone" />`;
  }
  // Once it is over, what was left alone is not done.
  const value = WORKING.includes(job.state) ? looked : job.done;
  const all = job.state === 'done' ? looked : Math.max(job.matched, looked);
  return html`<${Bar} value=${value} limit=${all} short=${false}
    label=${ACTIONS[job.action]?.done ?? 'done'} />`;
}

/** A job, looked at again while it works.
 * @param {string} id
 * @returns {Loaded<Job>} */
export function useJob(id) {
  const isOver = useRef(false);
  /** @type {Loaded<Job>} */
  const job = useApi(`v1/jobs/${encodePart(id)}`,
    { interval: isOver.current ? 0 : LOOK_MS, live: 'jobs' });
  isOver.current = job.data !== null && !WORKING.includes(job.data.state);
  return job;
}

/** How many tasks a job would touch now.
 * @param {Record<string, any> | null} job its action, filter and target; null: it is not whole yet
 * @returns {{preview: {matched: number, is_estimate: boolean} | null, error: any}} */
function usePreview(job) {
  const [state, setState] = useState(/** @type {any} */ ({ preview: null, error: null }));
  const asked = job && JSON.stringify({ ...job, dry_run: true });
  useEffect(() => {
    const control = new AbortController();
    setState({ preview: null, error: null });
    if (asked === null) return undefined;
    request('POST', 'v1/jobs', JSON.parse(asked), { signal: control.signal })
      .then((preview) => setState({ preview, error: null }))
      .catch((error) => { if (!control.signal.aborted) setState({ preview: null, error }); });
    return () => control.abort();
  }, [asked]);
  return state;
}

/** A job that was begun here: its progress, which goes on without the page.
 * @param {{id: string, onClose: () => void}} props */
function Started({ id, onClose }) {
  const { data: job, error } = useJob(id);
  const [refusal, setRefusal] = useState(/** @type {any} */ (null));
  const isWorking = !job || WORKING.includes(job.state);
  // What is behind the dialog shows tasks as they were.
  useEffect(() => { if (!isWorking) loadAnew(); }, [isWorking]);
  const cancel = () => act('POST', `v1/jobs/${encodePart(id)}/cancel`).catch(setRefusal);
  return html`<${Dialog} title=${job ? ACTIONS[job.action].title : 'Job'} onClose=${onClose}
    footer=${html`
      ${isWorking && html`<button type="button" onClick=${cancel}>Stop the job</button>`}
      <a class="button" href=${link(['jobs', id])} onClick=${onClose}>Open the job</a>
      <button type="button" class="primary" onClick=${onClose}>Close</button>`}>
    <p role="status">${job && html`<${Badge} status=${job.state} /> `}${isWorking
      ? 'The server works on it. This page may be closed.'
      : `${plural(job?.done ?? 0, 'task')} ${ACTIONS[job?.action ?? '']?.done}.`}</p>
    ${job && html`<${JobProgress} job=${job} /><${Skipped} job=${job} />`}
    ${job?.error && html`<p class="step-error">${job.error}</p>`}
    <${FormError} error=${refusal ?? (job ? null : error)} /><//>`;
}

/** @param {{job: Job}} props */
export function Skipped({ job }) {
  const gone = job.state === 'done' && !job.is_estimate && job.matched !== null
    ? job.matched - job.done - job.skipped : 0;
  const were = job.skipped === 1 ? 'was' : 'were';
  return html`${job.skipped > 0 && html`<p class="muted">${plural(job.skipped, 'task')} ${were} left
      alone: changed meanwhile, or not fit for it. (Its tenant's priorities and models hold here,
      too.)</p>`}
    ${gone > 0 && html`<p class="muted">${plural(gone, 'more task')} matched when it began, and
      moved on before it came to ${gone === 1 ? 'it' : 'them'}.</p>`}`;
}

/** What a move, a change of priority, or a redrive can be told beyond the filter.
 * @param {{action: string, isRequired: boolean, to: string, priority: string,
 *   onTo: (to: string) => void, onPriority: (priority: string) => void}} props */
function Target({ action, isRequired, to, priority, onTo, onPriority }) {
  const hasTarget = action === 'move' || action === 'redrive';
  const models = useApi(hasTarget ? 'v1/models' : null);
  if (hasTarget) {
    return html`<${Field} label="To the model or route" type="select" required=${isRequired}
      value=${to} onInput=${onTo} choices=${[['', isRequired ? 'choose…' : 'the one that they had'],
        ...(models.data?.data ?? []).map((/** @type {any} */ { id }) => id)]} />`;
  }
  if (action !== 'prioritise') return null;
  return html`<${Field} label="Priority" type="integer" required
    value=${priority} onInput=${onPriority}
    hint="From -100 to 100; higher goes first." error=${isPriority(priority) ? null
      : 'A whole number from -100 to 100.'} />`;
}

/** @param {string} text */
const isPriority = (text) => /^-?\d{1,3}$/.test(text) && Math.abs(Number(text)) <= 100;

/** The question before a job: which tasks, how many, and only then the button.
 * @param {{action: string, filter: Record<string, any>, note?: string | null,
 *   isElsewhere?: boolean, onStarted?: () => void, onClose: () => void}} props
 *   isElsewhere: it must be told to which model or route */
export function JobDialog({ action, filter, note, isElsewhere = action === 'move',
  onStarted = () => {}, onClose }) {
  const { title, name, danger, warning } = ACTIONS[action];
  const [to, setTo] = useState('');
  const [priority, setPriority] = useState('50');
  const isWhole = (!isElsewhere || to !== '') && (action !== 'prioritise' || isPriority(priority));
  const job = isWhole ? { action, filter, to: to || undefined,
    priority: action === 'prioritise' ? Number(priority) : undefined } : null;
  const { preview, error } = usePreview(job);
  const [started, setStarted] = useState(/** @type {string | null} */ (null));
  const [refusal, setRefusal] = useState(/** @type {any} */ (null));
  const [isBusy, setBusy] = useState(false);
  const start = async () => {
    setBusy(true);
    setRefusal(null);
    try {
      setStarted((await act('POST', 'v1/jobs', job)).id);
      onStarted();
    } catch (thrown) {
      setRefusal(thrown);
    }
    setBusy(false);
  };
  if (started) return html`<${Started} id=${started} onClose=${onClose} />`;
  const many = preview
    && `${preview.is_estimate ? 'about ' : ''}${plural(preview.matched, 'task')}`;
  const isReady = job && preview && preview.matched > 0 && !isBusy;
  return html`<${Dialog} title=${title} onClose=${onClose} footer=${html`
      <button type="button" onClick=${onClose}>Change nothing</button>
      <button type="button" class=${danger ? 'danger' : 'primary'}
        disabled=${!isReady} onClick=${start}>
        ${isBusy ? 'Working…' : `${name} ${preview?.is_estimate ? 'all, ' : ''}${many ?? ''}`}
      </button>`}>
    <p>${action === 'redrive' || action === 'forget' ? 'Ended tasks' : 'Unfinished tasks'} that meet
      ${' '}these conditions:</p><${FilterWords} filter=${filter} />
    ${note && html`<p class="muted">${note}</p>`}
    <${Target} action=${action} isRequired=${isElsewhere} to=${to} priority=${priority}
      onTo=${setTo} onPriority=${setPriority} />
    <p role="status">${preview ? html`<strong>${many}</strong> now. Nothing has changed yet.`
      : job && !error && 'Counting…'}</p>
    ${warning && html`<p class="warning">${warning}</p>`}
    <${FormError} error=${refusal ?? error} /><//>`;
}

