// Who serves, how full it is, the settings of all, and what administrators did.
import { html, useMemo } from '../html.js';
import { act, useApi } from '../api.js';
import { can } from '../session.js';
import { link } from '../router.js';
import { compact, settingText } from '../format.js';
import { Badge, Bar, Copy, Facts, Page, State, Table, Time } from '../components/index.js';
import { SettingsEditor } from '../components/settings.js';
import { SYSTEM_FIELDS, fieldsFor } from './parts/setting_fields.js';
import { mergeOverview, workerState } from './parts/overview.js';
import { Pages, Revisions } from './parts/revisions.js';
import { Tabs } from './parts/tabs.js';
import { Who } from './parts/who.js';
import { modelIn, placeOfFinding } from '../tasks/sentences.js';

const WORKERS_MS = 5_000;
const OVERVIEW_MS = 15_000;
/** The server keeps its findings for a minute. */
const DOCTOR_MS = 60_000;
const AUDIT_ROWS = 100;
const PRESSED_SHOWN = 12;

/** @param {ScreenProps} props */
export default function System({ query, session }) {
  const isAdmin = can(session, 'admin');
  const view = isAdmin ? query.view ?? '' : '';
  return html`<${Page} title="System" note=${`Sluice ${session.version}`}>
    ${isAdmin && html`<${Tabs} view=${view} views=${[['', 'Workers and pressure'],
      ['settings', 'Settings'], ['audit', 'Audit log'], ['revisions', 'Revisions']]} />`}
    ${view === 'settings' ? html`<${Settings} />`
      : view === 'audit' ? html`<${Audit} query=${query} />`
      : view === 'revisions' ? html`<${Revisions} query=${query} />`
      : html`<${Health} query=${query} session=${session} isAdmin=${isAdmin} />`}<//>`;
}

/** @param {{query: Record<string, string>, session: Session, isAdmin: boolean}} props */
function Health({ query, session, isAdmin }) {
  /** @type {Loaded<List<Overview>>} */
  const overview = useApi('v1/overview', { interval: OVERVIEW_MS, live: 'overview',
    merge: mergeOverview });
  const models = useMemo(() => (overview.data?.data ?? []).map((row) => row.model),
    [overview.data]);
  return html`<${Pressure} overview=${overview} isAdmin=${isAdmin} />
    <${Workers} query=${query} version=${session.version} />
    ${isAdmin && html`<${Doctor} models=${models} />`}`;
}

/** @param {{overview: Loaded<List<Overview>>, isAdmin: boolean}} props */
function Pressure({ overview, isAdmin }) {
  const settings = useApi(isAdmin ? 'v1/settings' : null);
  return html`<section class="panel"><h2>Pressure</h2>
    <${State} of=${overview} isEmpty=${() => false}
      rows=${2}>${(/** @type {List<Overview>} */ list) => {
      const unfinished = list.data.reduce((sum, row) => sum + Number(row.unfinished ?? 0), 0);
      const pressed = list.data.filter((row) => row.pressure !== 'normal');
      return html`<${Facts} rows=${[
        ['Unfinished tasks', html`<${Bar} value=${unfinished} tone="load" short=${false}
          limit=${settings.data?.max_unfinished} label="Unfinished tasks of all models" />`],
        ['Models under pressure', pressed.length === 0 ? 'none' : html`<ul class="inline-list">${
          pressed.slice(0, PRESSED_SHOWN).map((row) => html`<li key=${row.model}><a
            href=${link(['models', row.model])}
            >${row.model}</a> <${Badge} status=${row.pressure} /></li>`)}
          ${pressed.length > PRESSED_SHOWN && html`<li class="muted">and
            ${' '}${compact(pressed.length - PRESSED_SHOWN)} more</li>`}</ul>`],
        settings.data && ['Finished tasks are kept', settings.data.retention],
        settings.data?.history && ['History is kept', settingText(settings.data.history)],
      ]} />`;
    }}<//></section>`;
}

/** @param {{query: Record<string, string>, version: string}} props */
function Workers({ query, version }) {
  const workers = useApi('v1/workers', { interval: WORKERS_MS });
  return html`<section><h2>Workers</h2>
    <${State} of=${workers} rows=${3} empty=${html`<p><b>No worker has registered.</b></p>
        <p>Nothing is called until one runs: <code>sluice worker</code>, or <code>sluice up</code>
        ${' '}for worker and server in one.</p>`}>${(/** @type {List<WorkerRow>} */ list) => html`
      <${Table} caption="Workers" query=${query} columns=${WORKER_COLUMNS} rows=${list.data}
        initialSort="name" rowKey=${(/** @type {WorkerRow} */ row) => row.id} />
      ${list.data.some((row) => row.alive && row.version && row.version !== version)
        && html`<p class="note">Some workers are of another version than this server
          (${version}).</p>`}`}<//></section>`;
}

/** @type {Array<Column<WorkerRow>>} */
const WORKER_COLUMNS = [
  { key: 'name', label: 'Worker', sort: (row) => row.name,
    more: (row) => html` <span class="muted number hide-narrow">${row.id}</span>` },
  { key: 'alive', label: 'State', sort: workerState,
    render: (row) => html`<${Badge} status=${workerState(row)} />` },
  { key: 'in_flight', label: 'Calls of slots', numeric: true, descending: true,
    sort: (row) => row.in_flight,
    render: (row) => html`<${Bar} value=${row.in_flight} limit=${row.slots}
      label="Slots in use" />` },
  { key: 'wakeups', label: 'Wake-ups', hide: 'medium',
    sort: (row) => /** @type {any} */ (row).wakeups,
    render: (row) => /** @type {any} */ (row).wakeups ?? html`<span class="muted">–</span>` },
  { key: 'models', label: 'Models', hide: 'medium', className: 'wrap-cell',
    render: (row) => (row.models === null ? 'all' : namesText(row.models)) },
  { key: 'apis', label: 'APIs', hide: 'wide', className: 'wrap-cell',
    render: (row) => (row.apis === null ? 'all' : namesText(row.apis)) },
  { key: 'version', label: 'Version', hide: 'narrow', sort: (row) => row.version,
    render: (row) => row.version ?? '–' },
  { key: 'seen', label: 'Last seen', descending: true, sort: (row) => row.seen,
    render: (row) => html`<${Time} at=${row.seen} relative />` },
  { key: 'registered_at', label: 'Since', descending: true, hide: 'narrow',
    sort: (row) => row.registered_at, render: (row) => html`<${Time} at=${row.registered_at} />` },
];

const NAMES_SHOWN = 5;
/** @param {Array<string>} names */
function namesText(names) {
  if (names.length <= NAMES_SHOWN) return names.join(', ');
  return html`<span title=${names.join(', ')}>${names.slice(0, NAMES_SHOWN).join(', ')} and
    ${' '}${compact(names.length - NAMES_SHOWN)} more</span>`;
}

/** What is wrong with the installation, as far as this server can see it.
 * @param {{models: Array<string>}} props */
function Doctor({ models }) {
  /** @type {Loaded<List<Finding> & {looked_at: string}>} */
  const found = useApi('v1/doctor', { interval: DOCTOR_MS });
  return html`<section class="panel"><h2>Doctor</h2>
    <${State} of=${found} rows=${2} empty=${html`<p><b>No findings.</b></p>`}>${
      (/** @type {List<Finding>} */ list) => html`<ul class="findings">${list.data.map((one) =>
        html`<li key=${one.check + one.finding}><${OneFinding} one=${one}
          models=${models} /></li>`)}</ul>`}<//>
    <p class="muted">${found.data && html`As of <${Time} at=${found.data.looked_at} />, at most
      once a minute: PostgreSQL and its sessions, the schema, roles, backends and queues. `}
      Where workers run, <code>sluice doctor</code> looks at their secrets, too.
      ${' '}<${Copy} text="sluice doctor" /></p></section>`;
}

/** With links to what it speaks of.
 * @param {{one: Finding, models: Array<string>}} props */
function OneFinding({ one, models }) {
  const { before, model, after } = modelIn(one.finding, models);
  const place = placeOfFinding(one, model);
  return html`<p><${Badge} tone="bad">${one.check}<//> ${before}${model
      && html`<a href=${link(['models', model])}>${model}</a>`}${after}</p>
    <p class="muted">Way out: ${one.way_out}${place
      && html` (<a href=${link(place.to, place.query)}>${place.words}</a>)`}</p>`;
}

function Settings() {
  const settings = useApi('v1/settings');
  return html`<${State} of=${settings} rows=${12}>${(/** @type {Record<string, any>} */ values) =>
    html`<${SettingsEditor} title="Settings" values=${values}
      groups=${fieldsFor(SYSTEM_FIELDS, values, ['id', 'singleton'])}
      save=${(/** @type {Record<string, any>} */ changes) =>
        act('PATCH', 'v1/settings', changes)} />`}<//>`;
}

/** @param {{query: Record<string, string>}} props */
function Audit({ query }) {
  const search = new URLSearchParams({ limit: String(AUDIT_ROWS) });
  if (query.before) search.set('before', query.before);
  const audit = useApi(`v1/audit?${search}`);
  return html`<${State} of=${audit} empty=${html`<p><b>Nothing is written down yet.</b></p>
      <p>Here is each decision of an administrator, and who read a task's texts.</p>`}>${
    (/** @type {List<AuditRow>} */ list) => html`<${Table} caption="Audit log" rows=${list.data}
      columns=${AUDIT_COLUMNS} rowKey=${(/** @type {AuditRow} */ row) => row.id} />
      <${Pages} list=${list.data} size=${AUDIT_ROWS} query=${query} />`}<//>`;
}

/** @type {Array<Column<AuditRow>>} */
const AUDIT_COLUMNS = [
  { key: 'at', label: 'When', render: (row) => html`<${Time} at=${row.at} />` },
  { key: 'who', label: 'Who', className: 'wrap-cell',
    render: (row) => html`<${Who} who=${row.who} />` },
  { key: 'action', label: 'Did', render: (row) => row.action.replaceAll('_', ' ') },
  { key: 'object', label: 'To', className: 'wrap-cell',
    render: (row) => (row.action === 'read_texts'
    && row.object ? html`<a href=${link(['tasks', row.object])}>${row.object}</a>` : row.object) },
  { key: 'detail', label: 'Detail', hide: 'narrow', className: 'detail-cell',
    render: (row) => html`<${Detail} value=${row.detail} />` },
];

const DETAIL_CHARS = 160;
/** @param {{value: unknown}} props */
function Detail({ value }) {
  // with spaces, at which a line may break
  const text = value ? JSON.stringify(value, null, 1).replace(/\n\s*/g, ' ') : '';
  if (text.length <= DETAIL_CHARS) return html`<code>${text}</code>`;
  return html`<details><summary><code>${text.slice(0, DETAIL_CHARS)}…</code></summary>
    <pre>${JSON.stringify(value, null, 2)}</pre></details>`;
}
