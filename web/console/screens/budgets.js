// Budgets: what each has spent and holds of its limit, and when it opens; new ones.
import { html, useState } from '../html.js';
import { act, useApi } from '../api.js';
import { encodePart, go, link } from '../router.js';
import { money } from '../format.js';
import { Badge, Bar, Confirm, Count, Field, Page, State, Table, Time }
  from '../components/index.js';
import { exhaustion, inNanos, periodOf } from './parts/budget.js';
import { SCOPES } from './parts/setting_fields.js';

const REFRESH_MS = 15_000;

export default function Budgets() {
  const budgets = useApi('v1/budgets', { interval: REFRESH_MS });
  const [isNew, setNew] = useState(false);
  return html`<${Page} title="Budgets" note="What calls may cost in some time. A hard budget is
      never exceeded: calls under way are held at the most that they may cost."
      actions=${html`<button type="button" class="primary" onClick=${() => setNew(true)}
        >New budget</button>`}>
    <${State} of=${budgets} empty=${html`<p><b>There are no budgets.</b></p>
        <p>Calls may cost any sum.</p>`}>${(/** @type {List<Budget>} */ list) => html`
      <${Table} caption="Budgets" columns=${COLUMNS} rows=${list.data} initialSort="name"
        rowKey=${(/** @type {Budget} */ row) => row.name}
        href=${(/** @type {Budget} */ row) => link(['budgets', row.name])} />`}<//>
    ${isNew && html`<${NewBudget} onClose=${() => setNew(false)} />`}<//>`;
}

/** @type {Array<Column<Budget>>} */
const COLUMNS = [
  { key: 'name', label: 'Budget', className: 'name-cell', sort: (row) => row.name,
    render: (row) => row.name,
    more: (row) => row.exhausted_at !== null && html` <${Badge} tone="bad"
      title="what it has left is less than the next call may cost">${exhaustion(row)}<//>` },
  { key: 'of', label: 'Of', sort: (row) => row.scope,
    render: (row) => [row.scope, row.subject].filter(Boolean).join(' ') },
  { key: 'period', label: 'Each', hide: 'narrow', sort: periodOf, render: periodOf },
  { key: 'spent', label: 'Spent', descending: true, title: 'and, lighter, held by calls under way',
    sort: (row) => row.spent / row.limit,
    render: (row) => html`<${Bar} value=${row.spent} limit=${row.limit} tone="load" label="Spent"
      write=${money} extra=${row.held} extraLabel="held" />` },
  { key: 'waiting', label: 'Tasks that wait', numeric: true, descending: true, hide: 'narrow',
    sort: (row) => row.waiting, render: (row) => html`<${Count} value=${row.waiting} />` },
  { key: 'opens', label: 'Next window', hide: 'medium', sort: (row) => row.opens_at ?? '',
    render: (row) => html`<${Time} at=${row.opens_at} relative none="as it rolls" />` },
];

/** @param {{onClose: () => void}} props */
function NewBudget({ onClose }) {
  const [name, setName] = useState('');
  const [scope, setScope] = useState('system');
  const [subject, setSubject] = useState('');
  const [limit, setLimit] = useState('');
  const hasSubject = scope !== 'system';
  return html`<${Confirm} title="New budget" action="Make it" onClose=${onClose}
    disabled=${name.trim() === '' || inNanos(limit) === null || hasSubject && subject === ''}
    run=${async () => {
      await act('PUT', `v1/budgets/${encodePart(name.trim())}`,
        { scope, subject: hasSubject ? subject : null, limit_nanos: inNanos(limit) });
      go(link(['budgets', name.trim()]));
    }}>
    <${Field} label="Name" value=${name} onInput=${setName} required autofocus />
    <${Field} label="Of" type="select" choices=${SCOPES} value=${scope} onInput=${setScope}
      hint="Which calls count: all, or those of one." />
    ${hasSubject && html`<${Field} label="Subject" value=${subject} onInput=${setSubject} required
      hint=${scope === 'tag' ? 'As in a task\'s metadata, such as team=search.' : 'Whose.'} />`}
    <${Field} label="Limit" type="number" value=${limit} onInput=${setLimit} required
      hint="Of a day in UTC, in the currency of the prices. All else comes next." /><//>`;
}
