// What decides which model of a route takes a task, and what it comes to now.
import { html } from '../../html.js';
import { act, useApi } from '../../api.js';
import { encodePart, link } from '../../router.js';
import { money, significant } from '../../format.js';
import { Field, Share, State, Table, ask, toast } from '../../components/index.js';

/** @type {Array<[string, string]>} */
const PREFERS = [['weight', 'their weights'], ['cost', 'cost: the cheapest'],
  ['latency', 'latency: the fastest'], ['balanced', 'balanced: cost and latency']];
const NOTE = 'No task waits for a model that cannot take it. Speed is that of answers of late, the '
  + 'price that of a call of 750 input and 250 output tokens.';

/** @type {Array<Column<any>>} */
const COLUMNS = [
  { key: 'model', label: 'Model', sort: (row) => row.model, className: 'name-cell',
    render: (row) => html`<a href=${link(['models', row.model])}>${row.model}</a>` },
  { key: 'share', label: 'Share now', descending: true, sort: (row) => row.share,
    render: (row) => html`<${Share} share=${row.share} label="Share now" />` },
  { key: 'speed', label: 'ms a token', numeric: true, sort: (row) => row.ms_per_token,
    render: (row) => (row.ms_per_token === null ? '–' : significant(row.ms_per_token, 3)) },
  { key: 'calls', label: 'Calls', numeric: true, sort: (row) => row.in_flight,
    render: (row) => row.in_flight },
  { key: 'price', label: 'Price', numeric: true, sort: (row) => row.price,
    render: (row) => money(row.price) },
  { key: 'blocked', label: 'Cannot be called', hide: 'narrow', render: (row) => row.blocked ?? '' },
];

/** @param {{name: string}} props */
export function Choice({ name }) {
  const path = `v1/routes/${encodePart(name)}`;
  const choice = useApi(`${path}/choice`, { interval: 5000 });
  const set = async (/** @type {string} */ prefer) => {
    const isDone = await ask({ title: `Let route ${name} go by ${prefer}?`, action: 'Save',
      body: html`<p>In force with the next claims. Kept as a revision.</p>`,
      run: () => act('PATCH', path, { prefer }) });
    if (isDone) toast(`Route ${name} goes by ${prefer}.`);
  };
  return html`<${State} of=${choice}>${(/** @type {any} */ now) => html`
    <${Field} label="Its tasks go by" type="select" value=${now.prefer} choices=${PREFERS}
      hint=${NOTE} onInput=${set} />
    <${Table} caption=${`Choice of route ${name}`} columns=${COLUMNS} rows=${now.models}
      rowKey=${(/** @type {any} */ row) => row.model} />`}<//>`;
}
