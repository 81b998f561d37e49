// One task: what happened to it, why it is where it is, its facts, its texts, what can be done.
import { html, useState } from '../html.js';
import { count } from '../format.js';
import { go, link } from '../router.js';
import { can } from '../session.js';
import { Badge, Copy, Facts, Page, State, Time, Tokens, ask, toast }
  from '../components/index.js';
import { ENDED, REDRIVABLE, UNFINISHED, WAITING } from '../tasks/filters.js';
import { JobDialog } from '../tasks/job_parts.js';
import { Why, useLife } from '../tasks/life.js';
import { Texts } from '../tasks/texts.js';
import { Timeline } from '../tasks/timeline.js';
import { SINGLE } from '../tasks/one_by_one.js';
import { Cost, useModels } from './parts/prices.js';

/** @typedef {import('../tasks/types.js').Task} Task */
/** @typedef {import('../tasks/types.js').Life} Life */

/** @type {Record<string, {title: string, action: string, said: string, words: string}>} */
const QUESTIONS = {
  cancel: { title: 'Cancel this task?', action: 'Cancel the task', said: 'Cancelled.',
    words: 'A call under way is aborted. A cancelled task can be redriven.' },
  redrive: { title: 'Redrive this task?', action: 'Redrive', said: 'It is back in its queue.',
    words: 'It goes back to its queue under the same id, and is called again.' },
  forget: { title: 'Forget its texts?', action: 'Forget for good', said: 'Its texts are erased.',
    words: 'Its prompt, answer and replies are erased. There is no undo.' },
};

/** @param {string} name @param {string} id */
function askFor(name, id) {
  const { title, action, said, words } = QUESTIONS[name];
  return ask({ title, action, danger: name !== 'redrive', body: html`<p>${words}</p>`,
    run: async () => {
      await SINGLE[name](id);
      toast(said);
    } });
}

/** @param {{task: Task}} props */
function Actions({ task: { id, status } }) {
  const [job, setJob] = useState(/** @type {string | null} */ (null));
  const button = (/** @type {string} */ action, /** @type {string} */ name) => html`<button
    type="button" onClick=${() => setJob(action)}>${name}</button>`;
  return html`
    ${WAITING.includes(status) && html`${button('move', 'Move…')}
      ${button('prioritise', 'Prioritise…')}`}
    ${UNFINISHED.includes(status) && html`<button type="button" class="danger"
      onClick=${() => askFor('cancel', id)}>Cancel</button>`}
    ${REDRIVABLE.includes(status) && html`<button type="button" class="primary"
      onClick=${() => askFor('redrive', id)}>Redrive</button>
      ${button('redrive', 'Redrive to another model…')}`}
    ${status === 'solved' && html`<button type="button"
      onClick=${() => go(link('submit', { from: id }))}
      title="As a new task: this one stays with its model">Send to another model</button>`}
    ${ENDED.includes(status) && html`<button type="button"
      onClick=${() => askFor('forget', id)}>Forget</button>`}
    ${job && html`<${JobDialog} action=${job} filter=${{ ids: [id] }}
      isElsewhere=${job !== 'prioritise'} onClose=${() => setJob(null)} />`}`;
}

/** @param {{task: Task, session: Session, unpriced: Set<string>}} props */
function TaskFacts({ task, session, unpriced }) {
  const tasksOfModel = task.model && link('tasks', { model: task.model });
  const model = task.model && (session.tenant ? tasksOfModel : link(['models', task.model]));
  return html`<${Facts} rows=${[
    ['Model', task.model && html`<a href=${model}>${task.model}</a>`],
    ['Route', task.route],
    ['Tenant', session.tenant ? null : task.tenant],
    ['Priority', String(task.priority)],
    ['Attempts', count(task.attempts)],
    ['Submitted', html`<${Time} at=${task.created_at} />`],
    ['Not before', task.run_at && html`<${Time} at=${task.run_at} />`],
    ['Deadline', task.deadline && html`<${Time} at=${task.deadline} />`],
    ['Ended', task.finished_at && html`<${Time} at=${task.finished_at} />`],
    ['Tokens', task.input_tokens !== null && html`<${Tokens} value=${task.input_tokens} /> in,${' '}
      <${Tokens} value=${task.output_tokens} /> out`],
    ['Cost', task.cost !== null && html`<${Cost} value=${task.cost} model=${task.model}
      unpriced=${unpriced} />`],
    ['Batch', task.batch_id && html`<a
      href=${link('tasks', { batch_id: task.batch_id })}>${task.batch_id}</a>`],
    ['Error code', task.error_code && html`<a href=${link('tasks', { status: 'failed',
      error_code: task.error_code })}>${task.error_code}</a>`],
  ]} />`;
}

/** A longer value is cut: it is whole in the URL that its link has. */
const VALUE_CHARS_MAX = 300;

/** @param {{metadata: Record<string, unknown> | null}} props */
function Metadata({ metadata }) {
  const pairs = Object.entries(metadata ?? {});
  if (pairs.length === 0) return null;
  return html`<h3>Metadata</h3><${Facts} className="metadata" rows=${pairs.map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return [name, text.length > VALUE_CHARS_MAX
      ? html`<details><summary>${text.slice(0, VALUE_CHARS_MAX)}…</summary>${text}</details>`
      : html`<a href=${link('tasks', { metadata_key: name, metadata_value: text })}
        title="Tasks with the same">${text}</a>`];
  })} />`;
}

/** @param {{life: Life}} props */
function Trace({ life: { trace_id: id, trace_url: url } }) {
  if (url && /^https?:\/\//.test(url)) {
    return html`<p><a href=${url} target="_blank" rel="noreferrer">Open its trace</a></p>`;
  }
  return id && html`<p class="muted">Trace <span class="id">${id}</span>
    <${Copy} text=${id} /></p>`;
}

/** @param {{id: string, session: Session}} props */
function OneTask({ id, session }) {
  const life = useLife(id);
  const task = life.data?.task;
  const { unpriced } = useModels();
  return html`<${Page} name=${`Task ${id}`}
    title=${html`Task <span class="id">${id}</span> ${task &&
      html`<${Badge} status=${task.status} />`}`}
    actions=${html`<${Copy} text=${id} label="Copy id" />
      ${task && can(session, 'submit') && html`<${Actions} task=${task} />`}`}>
    <${State} of=${life}>${(/** @type {Life} */ data) => html`
      <${Why} life=${life} session=${session} />
      <div class="task-columns">
        <section><h2>Timeline</h2>
          <${Timeline} events=${data.events} status=${data.task.status} unpriced=${unpriced} />
          <${Trace} life=${data} /></section>
        <section><h2>Facts</h2><${TaskFacts} task=${data.task} session=${session}
          unpriced=${unpriced} />
          <${Metadata} metadata=${data.task.metadata} /></section>
      </div>
      <${Texts} id=${id} />`}<//><//>`;
}

/** @param {ScreenProps} props */
export default function TaskScreen({ params, session }) {
  return html`<${OneTask} key=${params.id} id=${params.id} session=${session} />`;
}
