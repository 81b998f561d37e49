// One tenant: what it uses, its settings and how they were changed.
import { html, useMemo } from '../html.js';
import { act, useApi } from '../api.js';
import { encodePart, go, link } from '../router.js';
import { Choices, Empty, Page, Plot, State, ask, toast } from '../components/index.js';
import { SettingsEditor } from '../components/settings.js';
import { money, significant } from '../format.js';
import { TENANT_FIELDS, fieldsFor } from './parts/setting_fields.js';
import { RANGES, useColumns, useHistory } from './parts/history.js';
import { Revisions } from './parts/revisions.js';
import { Tabs } from './parts/tabs.js';

/** @param {ScreenProps} props */
export default function TenantScreen({ params, query }) {
  const { name } = params;
  const view = query.view ?? '';
  return html`<${Page} title=${name} note="Tenant" actions=${html`
      <a class="button" href=${link('tasks', { tenant: name })}>Tasks</a>
      <a class="button" href=${link('dead-letters', { tenant: name })}>Dead letters</a>`}>
    <${Tabs} view=${view} views=${[['', 'Use'], ['settings', 'Settings'],
      ['revisions', 'Revisions']]} />
    ${view === 'settings' ? html`<${Settings} key=${name} name=${name} />`
      : view === 'revisions' ? html`<${Revisions} kind="tenants" name=${name} query=${query} />`
      : html`<${Use} name=${name} query=${query} />`}<//>`;
}

/** @param {{name: string, query: Record<string, string>}} props */
function Use({ name, query }) {
  const key = Object.hasOwn(RANGES, query.range) ? query.range : '24h';
  const range = RANGES[key];
  const history = useHistory({ range, tenant: name });
  return html`<section><div class="section-head"><h2>History</h2>
      <${Choices} label="Time shown" name="range" value=${key} initial="24h"
        choices=${Object.keys(RANGES).map((one) => [one, one])} /></div>
    <${State} of=${history} isEmpty=${() => false}>${(/** @type {List<HistoryRow>} */ list) =>
      html`<${Plots} rows=${list.data} window=${{ ...history, step_s: range.step_s }} />`}<//>
  </section>`;
}

/** @param {{rows: Array<HistoryRow>,
 *   window: {since: number, until: number, step_s: number}}} props */
function Plots({ rows, window }) {
  const { at, amounts } = useColumns(rows, window);
  const lines = useMemo(() => ({
    ends: [{ label: 'solved', values: amounts((row) => row.solved), fill: true, color: 1 },
      { label: 'failed', values: amounts((row) => row.failed), color: 4 }],
    tokens: [{ label: 'in', values: amounts((row) => row.input_tokens), color: 2 },
      { label: 'out', values: amounts((row) => row.output_tokens), color: 1 },
      { label: 'wasted', values: amounts((row) => row.wasted_tokens), color: 4 }],
    cost: [{ label: 'cost', values: amounts((row) => row.cost), fill: true, color: 1 }],
  }), [amounts]);
  const unit = window.step_s === 60 ? 'a minute' : 'an hour';
  return html`<div class="plots">
    <${Plot} title=${`Tasks ${unit}`} at=${at} series=${lines.ends} />
    <${Plot} title=${`Tokens ${unit}`} at=${at} series=${lines.tokens} />
    <${Plot} title=${`Cost ${unit}`} at=${at} series=${lines.cost} format=${money}
      ticks=${(/** @type {number} */ value) => significant(value, 3)} /></div>`;
}

/** @param {{name: string}} props */
function Settings({ name }) {
  const path = `v1/tenants/${encodePart(name)}`;
  const tenant = useApi(path);
  if (tenant.data === null && tenant.error?.status === 404) {
    return html`<${Empty}><p><b>It has no settings of its own.</b></p>
      <p>It has weight 1 and the system's limits.</p>
      <p><button type="button" onClick=${() => act('PUT', path, { weight: 1 })
        .catch((error) => toast(error.message, { tone: 'bad' }))}>Give it some</button></p><//>`;
  }
  return html`<${State} of=${tenant} rows=${8}>${
    (/** @type {Record<string, any>} */ values) => html`
    <${SettingsEditor} title=${name} values=${values} groups=${fieldsFor(TENANT_FIELDS, values,
      ['name', 'id', 'created_at'])} save=${(/** @type {Record<string, any>} */ changes) =>
      act('PATCH', path, changes)} />
    <p class="form-end"><button type="button" class="danger-quiet" onClick=${() => forget(name)}
      >Forget these settings…</button></p>`}<//>`;
}

/** @param {string} name */
async function forget(name) {
  const isDone = await ask({ title: `Forget the settings of ${name}?`, action: 'Forget them',
    danger: true, body: html`<p>It then has weight 1 and the system's limits. Its tasks and keys
      stay.</p>`, run: () => act('DELETE', `v1/tenants/${encodePart(name)}`) });
  if (!isDone) return;
  toast(`${name} has the system's limits.`);
  go(link('tenants'));
}
