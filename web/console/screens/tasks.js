// Tasks: found by filters that live in the URL, chosen one by one or all that match, and acted on.
import { html, useEffect, useMemo, useState } from '../html.js';
import { useApi } from '../api.js';
import { count, plural } from '../format.js';
import { go, link, setQuery } from '../router.js';
import { can } from '../session.js';
import { Badge, Filters, Page, State, Table, Time, Tokens } from '../components/index.js';
import { JOB_IDS_MAX, STATUSES, actionsFor, inForce, jobFilter, searchPath, sinceField }
  from '../tasks/filters.js';
import { ACTIONS, JobDialog } from '../tasks/job_parts.js';
import { Cost, useModels } from './parts/prices.js';

/** @typedef {import('../tasks/types.js').Task} Task */
/** @typedef {import('../tasks/types.js').Found} Found */
/** @typedef {import('../tasks/filters.js').Action} Action */

/** How often the newest page is looked at; older pages and searches of texts are not. */
const LOOK_MS = 5_000;

/** @param {Record<string, string>} query @param {Session} session @param {Array<string>} models
 * @returns {Array<import('../components/forms.js').FilterField>} */
function mainFields(query, session, models) {
  const known = query.model && !models.includes(query.model) ? [query.model, ...models] : models;
  return [
    { name: 'id', label: 'Id', type: 'search', placeholder: 'opens the task' },
    { name: 'status', label: 'Status', type: 'select',
      choices: [['', 'all'], ...STATUSES.map((status) => /** @type {[string, string]} */ ([status,
        status === 'unsolved' ? 'unsolved: waits for its time, or for a budget' : status]))] },
    { name: 'model', label: 'Model or route', type: 'select',
      choices: [['', 'all'], ...known.map((name) => /** @type {[string, string]} */
        ([name, name]))] },
    ...(session.tenant ? [] : [{ name: 'tenant', label: 'Tenant' }]),
    sinceField('Submitted since', query.since, Date.now()),
  ];
}

/** @type {Array<import('../components/forms.js').FilterField>} */
const MORE_FIELDS = [
  { name: 'error_code', label: 'Error code' },
  { name: 'batch_id', label: 'Batch', width: 'short', placeholder: '7' },
  { name: 'priority', label: 'Priority', width: 'short', placeholder: '50' },
  { name: 'until', label: 'Submitted until', type: 'time' },
  { name: 'metadata_key', label: 'Metadata key' },
  { name: 'metadata_value', label: 'Metadata value' },
  { name: 'text', label: 'Text in prompt or answer', width: 'long',
    hint: 'In the first 16,384 characters of each text of 2,000 tasks a page' },
];

/** @param {{query: Record<string, string>, session: Session, names: Array<string>}} props
 *   names: of models and routes */
function TaskFilters({ query, session, names }) {
  const isMore = MORE_FIELDS.some(({ name }) => query[name]);
  return html`<${Filters} query=${query} fields=${mainFields(query, session, names)} />
    <details class="more-filters" open=${isMore}><summary>More filters</summary>
      <${Filters} query=${query} fields=${MORE_FIELDS} label="More filters" /></details>
    ${query.metadata_value && !query.metadata_key
      && html`<p class="field-hint">A metadata value counts only with its key.</p>`}`;
}

/** Chosen tasks by id.
 * @typedef {{ids: Set<string>, set: (ids: Set<string>) => void}} Chosen */

/** @param {Array<Task>} rows @param {Chosen} chosen
 * @returns {Column<Task>} */
function choiceColumn(rows, chosen) {
  const isAll = rows.length > 0 && rows.every(({ id }) => chosen.ids.has(id));
  const flip = (/** @type {Array<string>} */ ids, /** @type {boolean} */ isOn) => {
    const next = new Set(chosen.ids);
    for (const id of ids) if (isOn) next.add(id); else next.delete(id);
    chosen.set(next);
  };
  return { key: 'choice', className: 'choice',
    label: html`<input type="checkbox" aria-label="Choose all on this page" checked=${isAll}
      onChange=${(/** @type {any} */ event) =>
        flip(rows.map(({ id }) => id), event.target.checked)} />`,
    render: ({ id }) => html`<input type="checkbox" aria-label=${`Choose task ${id}`}
      checked=${chosen.ids.has(id)}
      onChange=${(/** @type {any} */ event) => flip([id], event.target.checked)} />` };
}

/** @param {Array<Task>} rows @param {Chosen | null} chosen @param {Session} session
 * @param {Set<string>} unpriced
 * @returns {Array<Column<Task>>} */
function columnsFor(rows, chosen, session, unpriced) {
  /** @type {Array<Column<Task> | null>} */
  const columns = [
    { key: 'id', label: 'Task', className: 'id', render: (task) => task.id },
    chosen && choiceColumn(rows, chosen),
    { key: 'status', label: 'Status', render: (task) => html`<${Badge} status=${task.status} />` },
    { key: 'model', label: 'Model', className: 'wrap-cell', render: (task) => (task.model === null
      ? task.route ? html`<span class="muted">route</span> ${task.route}` : '–'
      : html`${task.model}${task.route
        && html` <span class="muted">of ${task.route}</span>`}`) },
    session.tenant ? null
      : { key: 'tenant', label: 'Tenant', hide: 'medium', className: 'wrap-cell' },
    { key: 'priority', label: 'Priority', numeric: true, hide: 'medium' },
    { key: 'attempts', label: 'Attempts', numeric: true, className: 'broad' },
    { key: 'error', label: 'Error', className: 'message', hide: 'narrow',
      render: (task) => (task.error_code || task.error) && html`<span class="clamp"
        title=${task.error}>${task.error_code && html`<strong>${task.error_code}</strong>`}${' '}
        ${task.error}</span>` },
    { key: 'tokens', label: 'Tokens in, out', numeric: true, className: 'broad',
      render: (task) => task.input_tokens !== null &&
        html`<${Tokens} value=${task.input_tokens} />,${' '}
        <${Tokens} value=${task.output_tokens} />` },
    { key: 'cost', label: 'Cost', numeric: true, className: 'broad',
      render: (task) => task.cost !== null && html`<${Cost} value=${task.cost}
        model=${task.model} unpriced=${unpriced} />` },
    { key: 'created', label: 'Submitted', render: (task) =>
      html`<${Time} at=${task.created_at} />` },
    { key: 'finished', label: 'Ended', hide: 'medium',
      render: (task) => task.finished_at && html`<${Time} at=${task.finished_at} />` },
  ];
  return /** @type {Array<Column<Task>>} */ (columns.filter(Boolean));
}

/** What can be done to the chosen tasks, or to all that match.
 * @param {{query: Record<string, string>, rows: Array<Task>, chosen: Chosen,
 *   onChosen: (action: Action) => void, onAll: (action: Action) => void}} props */
function Bulk({ query, rows, chosen, onChosen, onAll }) {
  const allowed = actionsFor(query);
  if (chosen.ids.size > 0) {
    const isTooMany = chosen.ids.size > JOB_IDS_MAX;
    const some = rows.filter(({ id }) => chosen.ids.has(id));
    return html`<div class="bulk is-chosen" role="group" aria-label="Chosen tasks">
      <span class="bulk-what"><b>${plural(chosen.ids.size, 'task')}</b> chosen</span>
      ${allowed.filter((action) => some.some(({ status }) => actionsFor({ status })
        .includes(action))).map((action) => html`<button type="button" key=${action}
        disabled=${isTooMany}
        onClick=${() => onChosen(action)}>${ACTIONS[action].name}…</button>`)}
      ${isTooMany && html`<span class="muted">at most ${JOB_IDS_MAX} at once</span>`}
      <button type="button" class="quiet"
        onClick=${() => chosen.set(new Set())}>Choose none</button></div>`;
  }
  const told = allowed.map((action) => ({ action, ...jobFilter(query, action, 0) }));
  const refused = told.find(({ cannot }) => cannot.length > 0);
  return html`<div class="bulk" role="group" aria-label="All that match">
    <span class="bulk-what">${Object.keys(inForce(query)).length === 0
      ? 'All tasks' : 'All that match'}</span>
    ${told.map(({ action, cannot }) => html`<button type="button" key=${action}
      disabled=${cannot.length > 0}
        onClick=${() => onAll(action)}>${ACTIONS[action].name}…</button>`)}
    ${refused && html`<span class="muted">${cannotWords(refused)}</span>`}</div>`;
}

/** @param {{action: string, cannot: Array<string>}} refused */
function cannotWords({ action, cannot }) {
  if (cannot.includes('since') || cannot.includes('until')) {
    return `To ${action}, the server looks at when tasks ended, not at when they were submitted: `
      + 'dead letters can be filtered by it.';
  }
  return `The server cannot act on all by ${cannot.join(' and ')}: take that filter away, or `
    + 'choose tasks by their boxes.';
}

/** Where this page lies among all, and the way to the next.
 * @param {{found: Found, query: Record<string, string>}} props */
function Pages({ found, query }) {
  const { next_before: next, looked_at: looked, is_complete: isComplete, data } = found;
  return html`<nav class="pages" aria-label="Pages">
    ${query.before && html`<a class="button"
      href=${link('tasks', { ...query, before: null })}>Newest</a>`}
    ${next && html`<a class="button" rel="next"
      href=${link('tasks', { ...query, before: next })}>Older</a>`}
    <span class="muted">${!next ? 'There are no older ones.' :
      isComplete === false && data.length < 50
        ? `${looked === null ? 'Not all were' : plural(looked, 'task')} looked at for this page; `
          + 'older ones may match, too.'
        : ''}</span></nav>`;
}

/** Says that nothing was found, and how far was looked.
 * @param {{found: Found, query: Record<string, string>}} props */
function Nothing({ found, query }) {
  const isFiltered = Object.keys(inForce(query)).length > 0;
  if (found.next_before) {
    const looked = found.looked_at === null ? '' : count(found.looked_at);
    return html`<div class="empty"><p>None of the ${looked} tasks looked at meets the filters.</p>
      <p><a class="button primary"
        href=${link('tasks', { ...query, before: found.next_before })}>Look
        further back</a></p></div>`;
  }
  return html`<div class="empty">${isFiltered || query.before ?
    html`<p>No task meets the filters.</p>`
    : html`<p>There is no task yet.</p>
      <p><a class="button" href=${link('submit')}>Submit one</a></p>`}</div>`;
}

/** @param {ScreenProps} props */
export default function Tasks({ query, session }) {
  // "1h" is a moment when it is chosen, not another one with each rendering.
  const path = useMemo(() => searchPath(query, Date.now(), { before: query.before }), [query]);
  /** @type {Loaded<Found>} */
  const found = useApi(path, { interval: query.before || query.text ? 0 : LOOK_MS });
  const [ids, set] = useState(/** @type {Set<string>} */ (new Set()));
  const [asked, setAsked] = useState(
    /** @type {{action: Action, filter: Record<string, any>} | null} */ (null));
  const isBulky = can(session, 'submit');
  const { names, unpriced } = useModels();
  useEffect(() => set(new Set()), [query]);
  useEffect(() => {
    if (/^\d{1,19}$/.test(query.id ?? '')) go(link(['tasks', query.id]), { replace: true });
  }, [query.id]);
  const chosen = { ids, set };
  return html`<${Page} title="Tasks" note=${query.text
      && 'Texts are looked through in a window of 2,000 tasks, newest first; a page is the next.'}>
    <${TaskFilters} query=${query} session=${session} names=${names} />
    ${query.id && !/^\d{1,19}$/.test(query.id) && html`<p class="field-error">An id is a number.
      <button type="button" class="quiet"
        onClick=${() => setQuery({ id: null })}>Clear</button></p>`}
    ${isBulky && html`<${Bulk} query=${query} rows=${found.data?.data ?? []} chosen=${chosen}
      onChosen=${(/** @type {Action} */ action) => setAsked({ action, filter: { ids: [...ids] } })}
      onAll=${(/** @type {Action} */ action) => setAsked({ action, filter: jobFilter(query, action,
        Date.now(), found.data?.data[0]?.metadata).filter })} />`}
    <${State} of=${found}>${(/** @type {Found} */ data) => html`
      ${data.data.length === 0 ? html`<${Nothing} found=${data} query=${query} />`
        : html`<${Table} caption="Tasks, newest first" rows=${data.data}
          columns=${columnsFor(data.data, isBulky ? chosen : null, session, unpriced)}
          rowKey=${(/** @type {Task} */ task) => task.id}
          href=${(/** @type {Task} */ task) => link(['tasks', task.id])} />
          <${Pages} found=${data} query=${query} />`}`}<//>
    ${asked && html`<${JobDialog} action=${asked.action} filter=${asked.filter}
      onStarted=${() => set(new Set())} onClose=${() => setAsked(null)} />`}<//>`;
}
