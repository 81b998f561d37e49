// Tasks that failed for good, grouped by what went wrong; a group is redriven or forgotten as one
// job of the server.
import { html, useMemo, useState } from '../html.js';
import { useApi } from '../api.js';
import { count } from '../format.js';
import { link } from '../router.js';
import { can } from '../session.js';
import { Filters, Page, State, Table, Time } from '../components/index.js';
import { ACTIONS, JobDialog } from '../tasks/job_parts.js';
import { instant, sinceField } from '../tasks/filters.js';

/** @typedef {import('../tasks/types.js').Group} Group */

/** How often groups are counted: it takes 0.1 s of the database over 200,000 failures. */
const LOOK_MS = 30_000;

/** @param {Record<string, string>} query */
function pathOf(query) {
  const asked = new URLSearchParams();
  for (const name of ['model', 'tenant']) if (query[name]) asked.set(name, query[name]);
  const since = instant(query.since, Date.now());
  if (since) asked.set('since', since);
  return `v1/dead-letters/groups?${asked}`;
}

/** The same tasks, as a job is told them.
 * @param {Group} group
 * @param {Record<string, string>} query */
function filterOf(group, query) {
  /** @type {Record<string, any>} */
  const filter = { status: 'failed' };
  for (const name of /** @type {const} */ (['model', 'error_code', 'message'])) {
    if (group[name] !== null) filter[name] = group[name];
  }
  if (query.tenant) filter.tenant = query.tenant;
  const since = instant(query.since, Date.now());
  if (since) filter.since = since;
  return filter;
}

/** A job cannot be told that there is no code, or no message.
 * @param {Group} group */
function noteOn(group) {
  const missing = [group.error_code === null && 'code', group.message === null && 'message']
    .filter(Boolean);
  return missing.length === 0 ? null : `The group has no ${missing.join(' and no ')}; failures `
    + 'that have one and are alike in the rest are meant, too.';
}

/** @param {Group} group */
const keyOf = (group) => JSON.stringify([group.model, group.error_code, group.message]);

/** @param {Record<string, string>} query
 * @param {((action: string, group: Group) => void) | null} onAsk null: this key changes nothing
 * @returns {Array<Column<Group>>} */
function columnsFor(query, onAsk) {
  return [
    { key: 'error_code', label: 'Code, model', className: 'code', sort: (group) => group.error_code,
      render: (group) => html`${group.error_code ?? 'none'}
        <span class="under">${group.model}</span>` },
    { key: 'count', label: 'Tasks', numeric: true, descending: true, sort: (group) => group.count,
      render: (group) => html`<a href=${link('tasks', { status: 'failed', model: group.model,
        error_code: group.error_code, tenant: query.tenant })}
        title="Tasks of this model and code">${count(group.count)}</a>` },
    { key: 'message', label: 'Message', className: 'message',
      title: 'Numbers, ids and quoted parts are left out, so that alike ones are one group',
      render: (group) => html`<span class="clamp"
        title=${group.message}>${group.message ?? '–'}</span>` },
    { key: 'first_at', label: 'First', hide: 'medium', sort: (group) => group.first_at,
      render: (group) => html`<${Time} at=${group.first_at} />` },
    { key: 'last_at', label: 'Last', hide: 'narrow', descending: true,
      sort: (group) => group.last_at,
      render: (group) => html`<${Time} at=${group.last_at} />` },
    ...(onAsk ? [{ key: 'actions', label: html`<span class="sr">Actions</span>`,
      className: 'row-buttons',
      render: (/** @type {Group} */ group) =>
        html`<span>${['redrive', 'forget'].map((action) => html`
        <button type="button" class="quiet" key=${action} onClick=${() => onAsk(action, group)}
          aria-label=${`${ACTIONS[action].name} all of ${
            group.error_code ?? 'no code'}, ${group.model}`}
          >${ACTIONS[action].name}</button>`)}</span>` }] : []),
  ];
}

/** @param {ScreenProps} props */
export default function DeadLetters({ query, session }) {
  // "24h" is a moment when it is chosen, not another one with each rendering.
  const path = useMemo(() => pathOf(query), [query]);
  const groups = useApi(path, { interval: LOOK_MS });
  const [asked, setAsked] = useState(
    /** @type {{action: string, group: Group, filter: Record<string, any>} | null} */ (null));
  const onAsk = can(session, 'submit')
    ? (/** @type {string} */ action, /** @type {Group} */ group) => setAsked(
      { action, group, filter: filterOf(group, query) }) : null;
  const isFiltered = query.model || query.tenant || query.since;
  return html`<${Page} title="Dead letters" note="Tasks that failed for good, by what went wrong.">
    <${Filters} query=${query} fields=${[{ name: 'model', label: 'Model' },
      ...(session.tenant ? [] : [{ name: 'tenant', label: 'Tenant' }]),
        sinceField('Failed since', query.since, Date.now())]} />
    <${State} of=${groups} empty=${isFiltered ? html`<p>No failure meets this filter.</p>`
      : html`<p>Nothing has failed for good.</p>
        <p class="muted">A task comes here when its attempts are
        used up, or when the backend refuses it.</p>`}>
          ${(/** @type {any} */ { data, is_complete: isComplete }) => html`
      <div class="stack"><${Table} caption="Groups of failures"
        columns=${columnsFor(query, onAsk)} rows=${data}
        rowKey=${keyOf} query=${query} initialSort="-count"
        href=${(/** @type {Group} */ group) => link(['tasks', group.sample_id])} />
      <p class="muted">A row opens one of its tasks as a sample. In messages # stands for a number
        and … for an id or a quoted part: failures that differ in these alone are one group.
        ${isComplete === false
          && ' Only the newest failures were looked at; there are older ones.'}</p></div>`}<//>
    ${asked && html`<${JobDialog} action=${asked.action} filter=${asked.filter}
      note=${noteOn(asked.group)} onClose=${() => setAsked(null)} />`}<//>`;
}
