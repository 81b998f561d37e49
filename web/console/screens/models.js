// One row a model: what waits, how much of its quota is used, and why it is not faster.
import { html, useMemo, useState } from '../html.js';
import { useApi } from '../api.js';
import { can } from '../session.js';
import { link } from '../router.js';
import { Badge, Bar, Count, Duration, Filters, Page, Spark, State, Table }
  from '../components/index.js';
import { plural } from '../format.js';
import { ModelActions } from './parts/model_actions.js';
import { NewModel } from './parts/new_model.js';
import { mergeOverview } from './parts/overview.js';

/** The stream tells of changes; this is for when it does not. */
const INTERVAL_MS = 15_000;
const STATES = /** @type {Array<[string, string]>} */ ([['', 'any'], ['waiting', 'with work'],
  ['blocked', 'blocked'], ['failing', 'failing']]);

/** @param {ScreenProps} props */
export default function Models({ query, session }) {
  const overview = useApi('v1/overview', { interval: INTERVAL_MS, live: 'overview',
    merge: mergeOverview });
  const isAdmin = can(session, 'admin');
  const columns = useMemo(() => columnsFor(isAdmin), [isAdmin]);
  const [isNew, setNew] = useState(false);
  return html`<${Page} title="Models" actions=${isAdmin && html`<button type="button"
      class="primary" onClick=${() => setNew(true)}>New model</button>`}>
    <${State} of=${overview} empty=${html`<${NoModels} isAdmin=${isAdmin} />`}
      rows=${8}>${(/** @type {List<Overview>} */ list) => {
        const rows = list.data.filter((row) => isWanted(row, query));
        return html`<${Totals} rows=${list.data} />
          <${Filters} query=${query} fields=${[
            { name: 'q', label: 'Name', type: 'search', live: true },
            { name: 'show', label: 'Show', type: 'select', choices: STATES }]}>
            <span class="muted">${rows.length === list.data.length
              ? plural(rows.length, 'model')
              : `${rows.length} of ${list.data.length} models`}</span>
          <//>
          ${rows.length === 0 ? html`<div class="empty">No model is like this.</div>`
            : html`<${Table} caption="Models" columns=${columns} rows=${rows} query=${query}
                initialSort="model" rowKey=${(/** @type {Overview} */ row) => row.model}
                href=${(/** @type {Overview} */ row) => link(['models', row.model])} />`}`;
      }}<//>
    ${isNew && html`<${NewModel} onClose=${() => setNew(false)} />`}<//>`;
}

/** @param {Overview} row @param {Record<string, string>} query */
function isWanted(row, query) {
  const name = (query.q ?? '').toLowerCase();
  if (name && !row.model.toLowerCase().includes(name)) return false;
  switch (query.show) {
    case 'waiting': return row.unfinished > 0;
    case 'blocked': return isBlocked(row);
    case 'failing': return Number(row.failed_10min) > 0 || row.breaker !== 'closed';
    default: return true;
  }
}

/** @param {Overview} row */
const isBlocked = (row) => row.state !== 'open';

/** @param {{rows: Array<Overview>}} props */
function Totals({ rows }) {
  const sum = (/** @type {(row: Overview) => any} */ of) =>
    rows.reduce((total, row) => total + Number(of(row) ?? 0), 0);
  const blocked = rows.filter(isBlocked).length;
  const failed = sum((row) => row.failed_10min);
  return html`<dl class="totals">
    <div><dt>Waiting</dt><dd><${Count} value=${sum((row) => row.depth)} /></dd></div>
    <div><dt>In flight</dt><dd><${Count} value=${sum((row) => row.in_flight)} /></dd></div>
    <div><dt>Solved in 10 min</dt><dd><${Count}
      value=${sum((row) => row.solved_10min)} /></dd></div>
    <div class=${failed > 0 ? 'is-bad' : undefined}><dt>Failed in 10 min</dt>
      <dd>${failed > 0 ? html`<a href=${link('dead-letters')}><${Count} value=${failed} /></a>`
        : html`<${Count} value=${0} />`}</dd></div>
    <div class=${blocked > 0 ? 'is-warn' : undefined}><dt>Models blocked</dt>
      <dd>${blocked > 0 ? html`<a href=${link('models', { show: 'blocked' })}
        ><${Count} value=${blocked} /></a>` : html`<${Count} value=${0} />`}</dd></div></dl>`;
}

/** @param {boolean} isAdmin @returns {Array<Column<Overview>>} */
function columnsFor(isAdmin) {
  return [
    { key: 'model', label: 'Model', sort: (row) => row.model, className: 'model-cell',
      render: (row) => row.model, more: (row) => html`<${Unusual} row=${row} />` },
    { key: 'depth', label: 'Waiting', numeric: true, descending: true, sort: (row) => row.depth,
      title: 'tasks that are ready, and not called yet',
      render: (row) => html`<${Count} value=${row.depth} />` },
    { key: 'oldest', label: 'Oldest', numeric: true, descending: true, hide: 'narrow',
      sort: (row) => row.oldest_ready_s, title: 'how long the oldest of them has waited',
      render: (row) => html`<${Duration} seconds=${row.oldest_ready_s} short />` },
    { key: 'in_flight', label: 'In flight', numeric: true, descending: true,
      sort: (row) => row.in_flight, title: 'calls under way, of max_in_flight',
      render: (row) => html`<${Bar} value=${row.in_flight} limit=${row.max_in_flight}
        label="In flight" />` },
    { key: 'calls', label: 'Calls/min', numeric: true, descending: true, hide: 'narrow',
      sort: (row) => row.calls_per_min, title: 'calls of the last minute, of rpm',
      render: (row) => html`<${Bar} value=${row.calls_per_min} limit=${row.rpm}
        label="Calls a minute" />` },
    { key: 'tokens', label: 'Tokens/min', numeric: true, descending: true, hide: 'medium',
      sort: (row) => row.tokens_per_min, title: 'tokens of the last minute, of tpm',
      render: (row) => html`<${Bar} value=${row.tokens_per_min} limit=${row.tpm}
        label="Tokens a minute" />` },
    { key: 'p50', label: 'Half within', numeric: true, descending: true, hide: 'medium',
      sort: (row) => row.p50_s, title: 'half of the calls took less: the 50th percentile, p50',
      render: (row) => html`<${Duration} seconds=${row.p50_s} short />` },
    { key: 'p99', label: '99 % within', numeric: true, descending: true, hide: 'medium',
      sort: (row) => row.p99_s, title: '99 of 100 calls took less: the 99th percentile, p99',
      render: (row) => html`<${Duration} seconds=${row.p99_s} short />` },
    { key: 'failed', label: 'Failed', numeric: true, descending: true, hide: 'narrow',
      sort: (row) => row.failed_10min, title: 'tasks that failed for good in the last 10 minutes',
      render: (row) => (Number(row.failed_10min) > 0
        ? html`<a class="bad" href=${link('dead-letters', { model: row.model })}
            ><${Count} value=${row.failed_10min} /></a>` : html`<${Count}
              value=${row.failed_10min} />`) },
    { key: 'spark', label: 'Solved, 1 h', hide: 'wide',
      render: (row) => html`<${Spark} values=${row.spark} label="Solved in the last hour" />` },
    ...(isAdmin ? [/** @type {Column<Overview>} */ ({ key: 'actions',
      label: html`<span class="sr">Actions</span>`, hide: 'medium', className: 'actions-cell',
      render: (row) => html`<${ModelActions} row=${row} quiet />` })] : []),
  ];
}

/** What is unusual about it, and why it is not faster. @param {{row: Overview}} props */
function Unusual({ row }) {
  return html`${row.state !== 'open' && html` <${Badge} status=${row.state} />`}
    ${row.pressure !== 'normal' && html` <${Badge} status=${row.pressure}
      title="how full it is: unfinished tasks against max_unfinished">pressure ${row.pressure}<//>`}
    <${Why} row=${row} />`;
}

/** @param {{row: Overview}} props */
export function Why({ row }) {
  const text = row.why ?? row.state_reason;
  // "paused" stands in the badge already
  return !text || text === row.state ? null
    : html`<span class="why" title=${text}>${text}</span>`;
}

/** @param {{isAdmin: boolean}} props */
function NoModels({ isAdmin }) {
  return html`<p><b>There are no models yet.</b></p>
    <p>${isAdmin ? 'Add the first one here, in SQL, or in the shell:'
      : 'An administrator adds the first one, here or in the shell:'}</p>
    <pre>sluice model set mine api=openai-chat url=https://api.example.com/v1 rpm=500</pre>`;
}

