// Tokens and cost, by tenant, model, key and day, and what was wasted.
import { html, useMemo } from '../html.js';
import { urlOf, useApi } from '../api.js';
import { isBound } from '../session.js';
import { link } from '../router.js';
import { money, percent, plural, significant } from '../format.js';
import { Choices, Count, Filters, Money, Page, Plot, Share, State, Table, Time, Tokens, useClock }
  from '../components/index.js';
import { isoOf, sums, useColumns } from './parts/history.js';
import { Cost, UnpricedNote, useModels } from './parts/prices.js';

const DAY_S = 86_400;
const REFRESH_MS = 120_000;
/** @type {Record<string, {days: number, step: 'hour' | 'day', step_s: number}>} */
const SPANS = { '24h': { days: 1, step: 'hour', step_s: 3600 },
  '7d': { days: 7, step: 'day', step_s: DAY_S }, '30d': { days: 30, step: 'day', step_s: DAY_S },
  '90d': { days: 90, step: 'day', step_s: DAY_S } };
/** @type {Array<[string, string]>} */
const BYS = [['model', 'Model'], ['tenant', 'Tenant'], ['model,tenant', 'Model and tenant'],
  ['key', 'API key'], ['none', 'Day']];

/** @param {ScreenProps} props */
export default function Spend({ query, session }) {
  const bys = isBound(session) ? BYS.filter(([key]) => !key.includes('tenant')) : BYS;
  const by = bys.some(([key]) => key === query.by) ? query.by : 'model';
  const key = Object.hasOwn(SPANS, query.range) ? query.range : '7d';
  const search = searchOf({ ...query, by }, SPANS[key], by === 'none' ? SPANS[key].step : 'all');
  useClock(REFRESH_MS);
  const spent = useApi(`v1/history?${search}`, { interval: REFRESH_MS });
  const byTime = useApi(`v1/history?${searchOf({ ...query, by: 'none' }, SPANS[key],
    SPANS[key].step)}`, { interval: REFRESH_MS });
  const csv = new URLSearchParams(search);
  csv.set('format', 'csv');
  return html`<${Page} title="Spend"
    note="By the models' prices when each call began. Wasted: tokens of
      calls that were retried, lost or overtaken by another call. Days are those of UTC."
      actions=${html`<a class="button" download="sluice-spend.csv"
        href=${urlOf(`v1/history?${csv}`)}
        >CSV</a>`}>
    <${Filters} query=${query} fields=${[{ name: 'model', label: 'Model' },
      ...(isBound(session) ? [] : [{ name: 'tenant', label: 'Tenant' }])]}>
      <${Choices} label="Sum by" name="by" value=${by} initial="model" choices=${bys} />
      <${Choices} label="Time shown" name="range" value=${key} initial="7d"
        choices=${Object.keys(SPANS).map((one) => [one, one])} /><//>
    <${State} of=${spent} empty=${html`<p><b>Nothing was called in this time.</b></p>
        <p>History begins when this version of Sluice was installed, and is kept
        as <code>settings.history</code> says.</p>`}>${(/** @type {List<HistoryRow>} */ list) =>
      html`<${Sums} rows=${list.data} byTime=${byTime.data?.data} by=${by} query=${query}
        span=${SPANS[key]} isTenants=${isBound(session)} />`}<//><//>`;
}

/** @param {Record<string, string>} query
 * @param {{days: number, step_s: number}} span @param {string} step */
function searchOf(query, span, step) {
  const { since } = boundsOf(span);
  const search = new URLSearchParams({ step, since: isoOf(since), by: query.by });
  if (query.model) search.set('model', query.model);
  if (query.tenant) search.set('tenant', query.tenant);
  return search;
}

/** Whole steps, with the one that is not over yet. @param {{days: number, step_s: number}} span */
function boundsOf({ days, step_s }) {
  const until = (Math.floor(Date.now() / 1000 / step_s) + 1) * step_s;
  return { since: until - days * DAY_S, until };
}

/** @param {{rows: Array<HistoryRow>, byTime: Array<HistoryRow> | undefined, by: string,
 *   query: Record<string, string>, isTenants: boolean,
 *   span: {days: number, step: 'hour' | 'day', step_s: number}}} props */
function Sums({ rows, byTime, by, query, span, isTenants }) {
  const list = useMemo(() => sums(rows, (row) => (by === 'none' ? row.at
    : by === 'model' ? row.model ?? '' : by === 'tenant' ? row.tenant ?? ''
    : by === 'key' ? row.key ?? ''
    : JSON.stringify([row.model, row.tenant]))), [rows, by]);
  const total = useMemo(() => sums(rows, () => '')[0], [rows]);
  const steps = useMemo(() => sums(byTime ?? [], (row) => row.at), [byTime]);
  const { unpriced } = useModels();
  const columns = useMemo(() => columnsFor(by, total, span.step, isTenants, unpriced),
    [by, total, span.step, isTenants, unpriced]);
  // By something else than models it is not known which of them were called.
  const called = by.includes('model') ? new Set(rows.filter((row) => row.input_tokens > 0)
    .map((row) => row.model)) : null;
  return html`<dl class="totals">
      <div><dt>Cost</dt><dd><${Money} value=${total.cost} /></dd></div>
      <div><dt>Tokens in</dt><dd><${Tokens} value=${total.input_tokens} /></dd></div>
      <div><dt>Tokens out</dt><dd><${Tokens} value=${total.output_tokens} /></dd></div>
      <div><dt>Wasted</dt><dd><${Tokens} value=${total.wasted_tokens} />
        <span class="muted"> ${percent(total.wasted_tokens / Math.max(total.tokens, 1))}</span></dd>
      </div>
      <div><dt>Solved</dt><dd><${Count} value=${total.solved} /></dd></div>
      <div><dt>Failed</dt><dd><${Count} value=${total.failed} /></dd></div></dl>
    <${UnpricedNote} models=${[...unpriced].filter((name) => called?.has(name) ?? true)} />
    <${Plots} rows=${steps} span=${span} isLoading=${byTime === undefined} />
    <div class="section-head"><h2>${BYS.find(([key]) => key === by)?.[1]}</h2>
      <span class="muted">${plural(list.length, 'row')}</span></div>
    <${Table} caption="Spend" query=${query} columns=${columns} rows=${list}
      initialSort=${by === 'none' ? '-key' : '-cost'}
        rowKey=${(/** @type {any} */ row) => row.key} />`;
}

/** @param {{rows: Array<any>, isLoading: boolean,
 *   span: {days: number, step: string, step_s: number}}} props */
function Plots({ rows, isLoading, span }) {
  const { since, until } = boundsOf(span);
  const { at, amounts } = useColumns(rows, { since, until, step_s: span.step_s });
  const lines = useMemo(() => ({
    cost: [{ label: 'cost', values: amounts((row) => row.cost), fill: true, color: 1 }],
    tokens: [{ label: 'in', values: amounts((row) => row.input_tokens), color: 2 },
      { label: 'out', values: amounts((row) => row.output_tokens), color: 1 },
      { label: 'wasted', values: amounts((row) => row.wasted_tokens), color: 4 }],
  }), [amounts]);
  return html`<div class="plots">
    <${Plot} title=${`Cost, by ${span.step}`} at=${at} series=${lines.cost} format=${money}
      ticks=${(/** @type {number} */ value) => significant(value, 3)}
      isLoading=${isLoading} byDay=${span.step === 'day'} />
    <${Plot} title=${`Tokens, by ${span.step}`} at=${at} series=${lines.tokens}
      isLoading=${isLoading} byDay=${span.step === 'day'} /></div>`;
}

/** @param {string} by @param {any} total @param {string} step
 * @param {boolean} isTenants the key is one tenant's: it sees tasks, not models
 * @param {Set<string>} unpriced
 * @returns {Array<Column<any>>} */
function columnsFor(by, total, step, isTenants, unpriced) {
  const model = { key: 'model', label: 'Model', sort: (/** @type {any} */ row) => row.model ?? '',
    render: (/** @type {any} */ row) => (row.model === null ? html`<span class="muted">none</span>`
      : html`<a href=${isTenants ? link('tasks', { model: row.model })
        : link(['models', row.model])}>${row.model}</a>`) };
  const tenant = { key: 'tenant', label: 'Tenant',
    sort: (/** @type {any} */ row) => row.tenant ?? '',
    render: (/** @type {any} */ row) => row.tenant ?? html`<span class="muted">none</span>` };
  const key = { key: 'api_key', label: 'API key',
    sort: (/** @type {any} */ row) => row.key_name ?? row.key,
    render: (/** @type {any} */ row) => (row.key === '' ? html`<span class="muted">without a
      key</span>` : html`${row.key_name} <span class="muted number">${row.key}</span>`) };
  const day = { key: 'key', label: step === 'day' ? 'Day, UTC' : 'Hour', descending: true,
    sort: (/** @type {any} */ row) => Date.parse(row.at),
    render: (/** @type {any} */ row) => (step === 'day' ? String(row.at).slice(0, 10)
      : html`<${Time} at=${row.at} withSeconds=${false} />`) };
  const amount = (/** @type {string} */ key, /** @type {string} */ label, /** @type {any} */ Shown,
    /** @type {any} */ hide) => ({ key, label, hide, numeric: true, descending: true,
    sort: (/** @type {any} */ row) => row[key],
    render: (/** @type {any} */ row) => html`<${Shown} value=${row[key]} />` });
  return [
    ...(by === 'none' ? [day] : by === 'model' ? [model] : by === 'tenant' ? [tenant]
      : by === 'key' ? [key] : [model, tenant]),
    { key: 'cost', label: 'Cost', numeric: true, descending: true, sort: (row) => row.cost,
      render: (row) => html`<${Cost} value=${row.cost} unpriced=${unpriced}
        model=${by.includes('model') && row.tokens > 0 ? row.model : null} />` },
    { key: 'share', label: 'Of all', descending: true, hide: 'narrow',
      sort: (row) => row.cost || row.tokens,
      render: (row) => html`<${Share} label="Share" share=${total.cost > 0 ? row.cost / total.cost
        : row.tokens / Math.max(total.tokens, 1)} />` },
    amount('input_tokens', 'Tokens in', Tokens, 'narrow'),
    amount('output_tokens', 'Tokens out', Tokens, 'narrow'),
    amount('wasted_tokens', 'Wasted', Tokens, undefined),
    amount('solved', 'Solved', Count, 'narrow'),
    amount('failed', 'Failed', Count, 'medium'),
    amount('retries', 'Retries', Count, 'medium'),
    amount('hedges', 'Extra calls', Count, 'medium'),
  ];
}
