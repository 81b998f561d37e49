// Jobs: bulk actions that the server works through; their progress, a cancel, and an undo where
// there is one.
import { html } from '../html.js';
import { act, useApi } from '../api.js';
import { count, plural } from '../format.js';
import { link } from '../router.js';
import { can } from '../session.js';
import { Badge, Facts, Page, State, Table, Time, ask, toast } from '../components/index.js';
import { ACTIONS, FilterWords, JobProgress, JobTasks, Skipped, WORKING, nameOf, useJob }
  from '../tasks/job_parts.js';
import { Who } from './parts/who.js';

/** @typedef {import('../tasks/types.js').Job} Job */

/** How often the list is looked at, beside what the stream tells. */
const LOOK_MS = 5_000;

/** @type {Array<Column<Job>>} */
const COLUMNS = [
  { key: 'action', label: 'Job', render: nameOf },
  { key: 'state', label: 'State', render: (job) => html`<${Badge} status=${job.state} />` },
  { key: 'progress', label: 'Progress', className: 'progress',
    render: (job) => html`<${JobProgress} job=${job} />` },
  { key: 'filter', label: 'Tasks', hide: 'narrow',
    render: (job) => html`<${FilterWords} filter=${job.filter} />` },
  { key: 'created', label: 'Begun', render: (job) => html`<${Time} at=${job.created_at} />` },
  { key: 'finished', label: 'Finished', hide: 'medium',
    render: (job) => html`<${Time} at=${job.finished_at} />` },
  { key: 'who', label: 'By', hide: 'medium', render: (job) => html`<${Who} who=${job.who} />` },
];

const NONE = html`<p>No job has run yet.</p><p class="muted">A job redrives, cancels, moves,
  prioritises or forgets all tasks that match a filter, however many. Begin one on
  ${' '}<a href=${link('tasks')}>Tasks</a> or
  ${' '}<a href=${link('dead-letters')}>Dead letters</a>.</p>`;

function JobList() {
  const jobs = useApi('v1/jobs', { interval: LOOK_MS, live: 'jobs' });
  return html`<${Page} title="Jobs" note="Bulk actions, worked off by the server.">
    <${State} of=${jobs} empty=${NONE}>${(/** @type {List<Job>} */ { data }) => html`
      <${Table} caption="Jobs, newest first" columns=${COLUMNS} rows=${data}
        rowKey=${(/** @type {Job} */ job) => job.id}
        href=${(/** @type {Job} */ job) => link(['jobs', job.id])} />`}<//><//>`;
}

/** @param {Job} job */
function askCancel(job) {
  return ask({ title: 'Stop this job?', action: 'Stop the job', danger: true,
    body: html`<p>It stops after the step under way. The ${plural(job.done, 'task')} that it has
      ${ACTIONS[job.action]?.done ?? 'done'} stay so.</p>`,
    run: async () => {
      await act('POST', `v1/jobs/${job.id}/cancel`);
      toast('The job stops.');
    } });
}

/** @param {Job} job */
function askUndo(job) {
  return ask({ title: 'Undo this job?', action: 'Undo',
    body: html`<p>Up to ${plural(job.done, 'task')} go back to what they were. Those that have moved
      on since stay as they are.</p>`,
    run: async () => {
      await act('POST', `v1/jobs/${job.id}/undo`);
      toast('The job is being undone.');
    } });
}

/** @param {{job: Job}} props */
function Actions({ job }) {
  return html`${['counting', 'running'].includes(job.state) && html`<button type="button"
      onClick=${() => askCancel(job)}>Stop</button>`}
    ${job.can_undo && html`<button type="button" onClick=${() => askUndo(job)}>Undo</button>`}`;
}

/** @param {{id: string, session: Session}} props */
function OneJob({ id, session }) {
  const job = useJob(id);
  const found = job.data;
  const mayAct = found && can(session, 'submit');
  return html`<${Page} name=${`Job ${id}`} actions=${mayAct && html`<${Actions} job=${found} />`}
    title=${found ? html`${nameOf(found)} <${Badge} status=${found.state} />` : 'Job'}>
    <${State} of=${job}>${(/** @type {Job} */ data) => html`
      <div class="stack"><div class="panel"><${JobProgress} job=${data} /><${Skipped} job=${data} />
        ${data.error && html`<p class="step-error">${data.error}</p>`}</div>
      <${Facts} rows=${[
        ['Tasks that match', html`<${FilterWords} filter=${data.filter} />`],
        [`Tasks ${ACTIONS[data.action]?.done ?? 'done'}`, count(data.done)],
        ['Its tasks', html`<${JobTasks} job=${data} />`],
        ['Begun by', html`<${Who} who=${data.who} />`],
        ['Begun', html`<${Time} at=${data.created_at} />`],
        ['Finished', WORKING.includes(data.state) ? 'not yet'
          : html`<${Time} at=${data.finished_at} />`],
        ['Undo', data.can_undo ? 'possible' : 'not possible'],
        ['Id', html`<span class="id">${data.id}</span>`],
      ]} /></div>`}<//><//>`;
}

/** @param {ScreenProps} props */
export default function Jobs({ params, session }) {
  return params.id ? html`<${OneJob} key=${params.id} id=${params.id} session=${session} />`
    : html`<${JobList} />`;
}
