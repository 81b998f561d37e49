// One model: how it does, what its quota leaves, its settings and how they were changed.
import { html, useMemo } from '../html.js';
import { act, useApi } from '../api.js';
import { encodePart, go, link } from '../router.js';
import { can } from '../session.js';
import { count, duration, shortDuration } from '../format.js';
import { Badge, Bar, Choices, Count, DURATION_STEPS_S, Duration, Empty, Facts, Page, Plot, State,
  Time, ask, toast } from '../components/index.js';
import { SettingsEditor } from '../components/settings.js';
import { ModelActions } from './parts/model_actions.js';
import { MODEL_FIELDS, fieldsFor } from './parts/setting_fields.js';
import { RANGES, useColumns, useHistory } from './parts/history.js';
import { Revisions } from './parts/revisions.js';
import { mergeOverview } from './parts/overview.js';
import { Tabs } from './parts/tabs.js';
import { Why } from './models.js';

const OVERVIEW_MS = 15_000;
const LIMITS_MS = 2_000;
/** Not settings of the form: they are shown, and changed, elsewhere. */
const HIDDEN = ['id', 'object', 'created', 'owned_by', 'name', 'created_at', 'limits_changed_at',
  'calls_changed_at', 'paused', 'closed_until', 'closed_reason', 'closed_detail'];

/** Its states, without the word "closed", which means of a model that it is not called.
 * @type {Record<Overview['breaker'], [tone: string, words: string]>} */
const BREAKER = { closed: ['ok', 'calls go through'], open: ['bad', 'open: no calls'],
  half_open: ['warn', 'half open: one call at a time'] };

/** @param {ScreenProps} props */
export default function Model({ params, query, session }) {
  const { name } = params;
  const overview = useApi('v1/overview', { interval: OVERVIEW_MS, live: 'overview',
    merge: mergeOverview });
  const row = overview.data?.data.find((/** @type {Overview} */ one) => one.model === name);
  const isAdmin = can(session, 'admin');
  const view = isAdmin ? query.view ?? '' : '';
  return html`<${Page} name=${name} title=${html`${name}${row && row.state !== 'open' && html`
      ${' '}<${Badge} status=${row.state} />`}`}
    note=${row && html`<${Why} row=${row} />`}
    actions=${row && isAdmin && html`<${ModelActions} row=${row} />`}>
    ${isAdmin && html`<${Tabs} view=${view} views=${[['', 'Now and lately'],
      ['settings', 'Settings'], ['revisions', 'Revisions']]} />`}
    ${view === 'settings' ? html`<${Settings} name=${name} />`
      : view === 'revisions' ? html`<${Revisions} kind="models" name=${name} query=${query} />`
      : html`<${State} of=${overview}>${() => (row
          ? html`<${Now} row=${row} /><${History} name=${name} query=${query} />`
          : html`<${Empty}><p><b>There is no model ${name}.</b></p>
              <p><a href=${link('models')}>All models</a></p><//>`)}<//>`}<//>`;
}

/** @param {{row: Overview}} props */
function Now({ row }) {
  const limits = useApi(`v1/models/${encodePart(row.model)}/limits`, { interval: LIMITS_MS });
  return html`<div class="columns">
    <section class="panel"><h2>Now</h2><${Facts} rows=${[
      ['Waiting', html`<a href=${link('tasks', { status: 'queued', model: row.model })}
        ><${Count} value=${row.depth} /></a>`],
      ['Oldest waits', html`<${Duration} seconds=${row.oldest_ready_s} />`],
      ['In flight', html`<${Bar} value=${row.in_flight} limit=${row.max_in_flight}
        label="In flight" />`],
      ['Unfinished', html`<${Bar} value=${row.unfinished} limit=${row.max_unfinished} tone="load"
        label="Unfinished tasks" />${row.pressure !== 'normal' && html` <${Badge}
        status=${row.pressure} />`}`],
      ['Breaker', html`<${Badge} tone=${BREAKER[row.breaker][0]}
        title="after failures in a row it makes no calls, then tries one at a time"
        >${BREAKER[row.breaker][1]}<//>`],
      row.state_until ? ['Until', row.state === 'breaker open'
        && Date.parse(row.state_until) <= Date.now() ? 'its next call, a probe, decides'
        : html`<${Time} at=${row.state_until} />`] : null,
      row.state_reason ? ['Because', row.state_reason] : null,
      ['Solved in 10 min', html`<${Count} value=${row.solved_10min} />`],
      ['Failed in 10 min', Number(row.failed_10min) > 0
        ? html`<a class="bad" href=${link('dead-letters', { model: row.model })}
            ><${Count} value=${row.failed_10min} /></a>`
        : html`<${Count} value=${row.failed_10min} />`],
      ['API', row.api],
    ]} /></section>
    <section class="panel"><h2>The last minute, as the quota counts it</h2>
      <${State} of=${limits} rows=${4}>${(/** @type {Limits} */ now) =>
        html`<${Quota} limits=${now} />`}<//></section></div>`;
}

/** @param {{limits: Limits}} props */
function Quota({ limits }) {
  if (limits.rpm === null && limits.tpm === null) {
    return html`<p class="muted">Neither rpm nor tpm is set: calls are bounded by max_in_flight, by
      the slots of workers, and by a limit that halves when the backend is in trouble.</p>`;
  }
  const used = Number(limits.tokens_used_last_minute ?? 0);
  const reserved = Number(limits.tokens_reserved ?? 0);
  const free = Number(limits.tokens_free ?? 0);
  return html`<${Facts} rows=${[
    limits.rpm !== null && ['Calls', html`<${Bar} value=${limits.calls_last_minute}
      limit=${limits.rpm} label="Calls of the last minute" short=${false} />`],
    limits.rpm !== null && ['May begin now', html`<${Count} value=${limits.permits_now} />
      ${limits.burst !== null
        && html`<span class="muted"> of ${count(limits.burst)} at once</span>`}`],
    limits.rpm !== null && ['Next permit', limits.next_permit_at === null ? 'now'
      : html`<${Time} at=${limits.next_permit_at} />`],
    limits.tpm !== null && ['Tokens', html`<${Bar} value=${used} limit=${limits.tpm} short=${false}
      extra=${reserved} extraLabel="reserved" label="Tokens used in the last minute" />`],
    limits.tpm !== null && ['Reserved', html`<${Count} value=${reserved} />
      <span class="muted"> for calls under way</span>`],
    limits.tpm !== null && ['Free', free >= 0 ? html`<${Count} value=${free} />`
      : html`0 <span class="muted">${count(-free)} overdrawn</span>`],
    limits.tpm !== null && ['Next tokens', limits.next_tokens_at === null ? 'now'
      : html`<${Time} at=${limits.next_tokens_at} />`],
  ]} />`;
}

/** @param {{name: string, query: Record<string, string>}} props */
function History({ name, query }) {
  const key = Object.hasOwn(RANGES, query.range) ? query.range : '1h';
  const range = RANGES[key];
  const history = useHistory({ range, model: name });
  return html`<section><div class="section-head"><h2>History</h2>
      <${Choices} label="Time shown" name="range" value=${key} initial="1h"
        choices=${Object.keys(RANGES).map((one) => [one, one])} /></div>
    <${State} of=${history} isEmpty=${() => false}>${(/** @type {List<HistoryRow>} */ list) =>
      html`<${Plots} rows=${list.data} window=${{ ...history, step_s: range.step_s }} />`}<//>
  </section>`;
}

/** @param {{rows: Array<HistoryRow>,
 *   window: {since: number, until: number, step_s: number}}} props */
function Plots({ rows, window }) {
  const columns = useColumns(rows, window);
  const lines = useMemo(() => linesOf(columns), [columns]);
  const unit = window.step_s === 60 ? 'a minute' : 'an hour';
  const seconds = { format: duration, ticks: shortDuration, steps: DURATION_STEPS_S };
  return html`<div class="plots">
    <${Plot} title=${`Solved ${unit}`} at=${columns.at} series=${lines.rate} />
    <${Plot} title=${`Not solved ${unit}`} at=${columns.at} series=${lines.errors} />
    <${Plot} title="Half of the tasks took less" at=${columns.at} series=${lines.p50}
      ...${seconds} />
    <${Plot} title="99 of 100 tasks took less" at=${columns.at} series=${lines.p99}
      ...${seconds} />
    <${Plot} title=${`Tokens ${unit}`} at=${columns.at} series=${lines.tokens} />
  </div>`;
}

/** @param {ReturnType<typeof useColumns>} columns */
function linesOf({ amounts, levels }) {
  return {
    rate: [{ label: 'solved', values: amounts((row) => row.solved), fill: true, color: 1 }],
    errors: [
      { label: 'failed', values: amounts((row) => row.failed), color: 4 },
      { label: 'retries', values: amounts((row) => row.retries), color: 3 },
      { label: 'expired', values: amounts((row) => row.expired), color: 5 },
      { label: 'cancelled', values: amounts((row) => row.cancelled), color: 6 }],
    p50: [
      { label: 'wait', values: levels((row) => row.wait_p50_s), color: 3 },
      { label: 'call', values: levels((row) => row.call_p50_s), color: 2 },
      { label: 'total', values: levels((row) => row.total_p50_s), color: 1 }],
    p99: [
      { label: 'wait', values: levels((row) => row.wait_p99_s), color: 3 },
      { label: 'call', values: levels((row) => row.call_p99_s), color: 2 },
      { label: 'total', values: levels((row) => row.total_p99_s), color: 1 }],
    tokens: [
      { label: 'in', values: amounts((row) => row.input_tokens), color: 2 },
      { label: 'out', values: amounts((row) => row.output_tokens), color: 1 },
      { label: 'wasted', values: amounts((row) => row.wasted_tokens), color: 4 }],
  };
}

/** @param {{name: string}} props */
function Settings({ name }) {
  const model = useApi(`v1/models/${encodePart(name)}`);
  return html`<${State} of=${model} rows=${12}>${
    (/** @type {Record<string, any>} */ values) => html`
    ${values.closed_detail && html`<p class="note"><b>What the call that closed it heard:</b>
      ${' '}${values.closed_detail}</p>`}
    <${SettingsEditor} key=${name} title=${name} values=${values}
      groups=${fieldsFor(MODEL_FIELDS, values, HIDDEN)}
      save=${(/** @type {Record<string, any>} */ changes) =>
        act('PATCH', `v1/models/${encodePart(name)}`, changes)} />
    <p class="form-end"><button type="button" class="danger-quiet" onClick=${() => remove(name)}
      >Delete this model…</button></p>`}<//>`;
}

/** @param {string} name */
async function remove(name) {
  const isDone = await ask({ title: `Delete ${name}?`, action: 'Delete it', danger: true,
    body: html`<p>Its settings are gone, but for the revision that says what they were. That is
      refused while it has unfinished tasks.</p>`,
    run: () => act('DELETE', `v1/models/${encodePart(name)}`) });
  if (!isDone) return;
  toast(`${name} is deleted.`);
  go(link('models'));
}
