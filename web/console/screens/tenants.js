// Tenants: their share as promised by weight and as received, and their limits.
import { html, useMemo, useState } from '../html.js';
import { act, useApi } from '../api.js';
import { encodePart, go, link } from '../router.js';
import { plural, significant } from '../format.js';
import { Confirm, Count, Field, Filters, Money, Page, Problem, Share, State, Table, Tokens }
  from '../components/index.js';
import { sums, useHistory } from './parts/history.js';

/** Yesterday and today, in UTC: a row a tenant, so that 5,000 of them fit one answer.
 * @type {import('./parts/history.js').Range} */
const LATELY = { span: 86_400, step: 'all', step_s: 86_400, every_ms: 120_000 };

/** @typedef {Tenant & {promised: number | null, received: number | null, tokens: number,
 *   solved: number, cost: number, isListed: boolean}} TenantRow */

/** @param {ScreenProps} props */
export default function Tenants({ query }) {
  const tenants = useApi('v1/tenants');
  const history = useHistory({ range: LATELY, by: 'tenant', isOpen: true });
  const [isNew, setNew] = useState(false);
  const rows = useMemo(() => rowsOf(tenants.data?.data ?? [], history.data?.data ?? []),
    [tenants.data, history.data]);
  const wanted = (query.q ?? '').toLowerCase();
  const shown = rows.filter((row) => row.name.toLowerCase().includes(wanted));
  return html`<${Page} title="Tenants" note="Shares are of tokens since yesterday, 0:00 UTC, among
      those who used any. A weight counts while several tenants wait: who is alone gets everything."
      actions=${html`<button type="button" class="primary" onClick=${() => setNew(true)}
        >New tenant</button>`}>
    <${State} of=${tenants} isEmpty=${() => rows.length === 0} empty=${html`
        <p><b>No tenant has settings of its own.</b></p>
        <p>Tasks without a tenant belong to <code>default</code>; every tenant has weight 1 and the
        system's limits unless it says otherwise here.</p>`}>${() => html`
      <${Filters} query=${query}
        fields=${[{ name: 'q', label: 'Name', type: 'search', live: true }]}>
        <span class="muted">${shown.length === rows.length ? plural(rows.length, 'tenant')
          : `${shown.length} of ${rows.length} tenants`}</span><//>
      ${history.error && html`<${Problem} error=${history.error} />`}
      <${Table} caption="Tenants" query=${query} columns=${COLUMNS} rows=${shown}
        initialSort="-received" rowKey=${(/** @type {TenantRow} */ row) => row.name}
        href=${(/** @type {TenantRow} */ row) => link(['tenants', row.name])} />`}<//>
    ${isNew && html`<${NewTenant} onClose=${() => setNew(false)} />`}<//>`;
}

/** Tenants with settings, and those that only have tasks.
 * @param {Array<Tenant>} tenants
 * @param {Array<HistoryRow>} history
 * @returns {Array<TenantRow>} */
function rowsOf(tenants, history) {
  const used = new Map(sums(history, (row) => row.tenant ?? '').map((sum) => [sum.key, sum]));
  const listed = new Set(tenants.map((tenant) => tenant.name));
  const all = [...tenants.map((tenant) => ({ ...tenant, isListed: true })),
    ...[...used.keys()].filter((name) => !listed.has(name)).map((name) => ({ name, weight: 1,
      max_unfinished: null, rpm: null, tpm: null, role: null, isListed: false }))];
  const isActive = (/** @type {string} */ name) => (used.get(name)?.tokens ?? 0) > 0;
  const tokens = all.reduce((sum, one) => sum + (used.get(one.name)?.tokens ?? 0), 0);
  const weights = all.reduce((sum, one) => sum + (isActive(one.name) ? Number(one.weight) : 0), 0);
  return all.map((one) => {
    const sum = used.get(one.name);
    return { ...one, tokens: sum?.tokens ?? 0, solved: sum?.solved ?? 0, cost: sum?.cost ?? 0,
      promised: isActive(one.name) ? Number(one.weight) / weights : null,
      received: tokens > 0 ? (sum?.tokens ?? 0) / tokens : null };
  });
}

/** @type {Array<Column<TenantRow>>} */
const COLUMNS = [
  { key: 'name', label: 'Tenant', className: 'name-cell', sort: (row) => row.name,
    render: (row) => row.name || '(none)',
    more: (row) => !row.isListed && html` <span class="muted"
      title="it has tasks, but no row of settings">no settings</span>` },
  { key: 'weight', label: 'Weight', numeric: true, descending: true,
    sort: (row) => Number(row.weight), render: (row) => significant(Number(row.weight), 6) },
  { key: 'promised', label: 'Promised', descending: true, hide: 'narrow',
    sort: (row) => row.promised,
    render: (row) => html`<${Share} share=${row.promised} label="Promised" />` },
  { key: 'received', label: 'Received', descending: true, sort: (row) => row.received,
    render: (row) => html`<${Share} share=${row.received} mark=${row.promised}
      label="Received" />` },
  { key: 'tokens', label: 'Tokens', numeric: true, descending: true, sort: (row) => row.tokens,
    render: (row) => html`<${Tokens} value=${row.tokens} />` },
  { key: 'solved', label: 'Solved', numeric: true, descending: true, hide: 'medium',
    sort: (row) => row.solved, render: (row) => html`<${Count} value=${row.solved} />` },
  { key: 'cost', label: 'Cost', numeric: true, descending: true, hide: 'medium',
    title: 'by the models\' prices; what is called at a model without one counts as 0',
    sort: (row) => row.cost, render: (row) => html`<${Money} value=${row.cost} />` },
  { key: 'rpm', label: 'rpm', numeric: true, descending: true, hide: 'narrow',
    sort: (row) => row.rpm, render: (row) => html`<${Count} value=${row.rpm} />` },
  { key: 'tpm', label: 'tpm', numeric: true, descending: true, hide: 'medium',
    sort: (row) => row.tpm, render: (row) => html`<${Tokens} value=${row.tpm} />` },
  { key: 'max_unfinished', label: 'Max. unfinished', numeric: true, descending: true, hide: 'wide',
    sort: (row) => row.max_unfinished,
    render: (row) => html`<${Tokens} value=${row.max_unfinished} />` },
];

/** @param {{onClose: () => void}} props */
function NewTenant({ onClose }) {
  const [name, setName] = useState('');
  const [weight, setWeight] = useState('1');
  return html`<${Confirm} title="New tenant" action="Make it" onClose=${onClose}
    disabled=${name.trim() === '' || weight.trim() === '' || !(Number(weight) >= 0)}
    run=${async () => {
      await act('PUT', `v1/tenants/${encodePart(name.trim())}`, { weight: Number(weight) });
      go(link(['tenants', name.trim()]));
    }}>
    <${Field} label="Name" value=${name} onInput=${setName} required autofocus
      hint="As tasks and keys name it." />
    <${Field} label="Weight" type="number" value=${weight} onInput=${setWeight}
      hint="Its share beside other tenants' weights. Limits come next." /><//>`;
}
