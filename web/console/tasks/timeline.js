// A task's life as a list, from the submit to its end: each step with its time and its facts.
import { classes, html } from '../html.js';
import { Badge, Duration, Facts, Time, Tokens } from '../components/index.js';
import { Cost } from '../screens/parts/prices.js';

/** @typedef {import('./types.js').TaskEvent} TaskEvent */

/** @type {Record<string, string>} */
const KINDS = {
  submitted: 'Submitted',
  waits_until: 'Waits until',
  queued: 'Ready, in the queue',
  claimed: 'Claimed by a worker',
  retry: 'Attempt failed in a way that may pass',
  failed: 'Attempt failed for good',
  lost: 'Worker lost; the task was taken back',
  late: 'An answer came too late to count',
  hedged: 'Extra call, because the first was slow',
  returned: 'Given back, not counted as an attempt',
  redriven: 'Redriven: the end was taken back',
};
/** @type {Record<string, string>} how a step looks */
const TONES = { retry: 'warn', returned: 'warn', failed: 'bad', lost: 'bad', late: 'warn',
  solved: 'ok', cancelled: 'muted', expired: 'warn' };

/** Its facts, in the order in which they are asked for; those without a value are left out.
 * @param {TaskEvent} step
 * @param {Set<string>} unpriced
 * @returns {Array<[string, any]>} */
function factsOf(step, unpriced) {
  return [
    ['model', step.model],
    ['worker', step.worker],
    ['claim', step.fence],
    ['waited', step.wait_s == null ? null : html`<${Duration} seconds=${step.wait_s} />`],
    ['call', step.call_s == null ? null : html`<${Duration} seconds=${step.call_s} />`],
    ['HTTP status', step.http_status],
    ['code', step.error_code],
    ['tokens', step.input_tokens == null && step.output_tokens == null ? null
      : html`<${Tokens} value=${step.input_tokens} /> in,${' '}
        <${Tokens} value=${step.output_tokens} /> out`],
    ['cost', step.cost == null ? null : html`<${Cost} value=${step.cost}
      model=${step.model ?? null} unpriced=${unpriced} />`],
  ];
}

/** @param {{step: TaskEvent, before: TaskEvent | undefined, unpriced: Set<string>}} props */
function Step({ step, before, unpriced }) {
  const isEnd = step.kind === 'ended';
  // The end repeats what the attempt that failed has just said.
  const isTold = isEnd && before?.kind === 'failed' && before.fence === step.fence;
  const facts = isTold ? [] : factsOf(step, unpriced);
  const tone = TONES[isEnd ? step.status ?? '' : step.kind] ?? 'plain';
  return html`<li class=${classes('step', `step-${tone}`)}>
    <p class="step-head"><span class="step-kind">${!isEnd ? KINDS[step.kind] ?? step.kind
      : step.status ? html`Ended: <${Badge} status=${step.status} />` : 'Ended'}</span>
      ${' '}<${Time} at=${step.at} /></p>
    ${facts.some(([, value]) => value != null) && html`<${Facts} rows=${facts}
      className="facts-row" />`}
    ${step.error && !isTold && html`<p class="step-error">${step.error}</p>`}
    ${step.billed && !isEnd && html`<p class="step-billed">This call may have been billed.</p>`}
  </li>`;
}

/** @param {{events: Array<TaskEvent>, status: string, unpriced: Set<string>}} props
 *   unpriced: models without a price */
export function Timeline({ events, status, unpriced }) {
  const isOver = events.at(-1)?.kind === 'ended';
  return html`<ol class="timeline" aria-label="What happened to the task">
    ${events.map((step, index) => html`<${Step} key=${index} step=${step}
      before=${events[index - 1]} unpriced=${unpriced} />`)}
    ${!isOver && html`<li class="step step-now"><p class="step-head">
      <span class="step-kind">Now: <${Badge} status=${status} /></span></p></li>`}</ol>`;
}
