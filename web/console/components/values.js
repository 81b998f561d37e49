// Single values: a badge, a time, an amount, a bar of use.
import { classes, html, useEffect, useState } from '../html.js';
import * as format from '../format.js';

/** What a word of the server means for whoever looks: fine, wait, look, act.
 * @type {Record<string, string>} */
const TONES = {
  solved: 'ok', completed: 'ok', done: 'ok', open: 'ok', alive: 'ok', normal: 'ok',
  queued: 'plain', unsolved: 'plain', undone: 'plain', validating: 'plain', counting: 'plain',
  processing: 'info', running: 'info', in_progress: 'info', finalizing: 'info', undoing: 'info',
  cancelled: 'muted', cancelling: 'muted', expired: 'warn', paused: 'warn', closed: 'warn',
  'half open': 'warn', half_open: 'warn', warning: 'warn', retry: 'warn', late: 'warn',
  failed: 'bad', parked: 'bad', 'breaker open': 'bad', critical: 'bad', overflow: 'bad',
  lost: 'bad', dead: 'bad', silent: 'warn', ended: 'muted',
};

/** A status in a word. The word says it; the colour repeats it.
 * @param {{status?: string | null, tone?: string, title?: string, children?: any}} props */
export function Badge({ status, tone, title, children }) {
  if (!status && !children) return null;
  return html`<span class=${`badge tone-${tone ?? TONES[status ?? ''] ?? 'plain'}`} title=${title}
    >${children ?? String(status).replaceAll('_', ' ')}</span>`;
}

/** Renders again every so often. @param {number} ms 0: never */
export function useClock(ms) {
  const [, set] = useState(0);
  useEffect(() => {
    if (ms === 0) return undefined;
    const timer = setInterval(() => set((n) => n + 1), ms);
    return () => clearInterval(timer);
  }, [ms]);
}

/** A moment in the reader's zone, with UTC on hover. relative: "3 min ago".
 * @param {{at: any, relative?: boolean, day?: boolean, withSeconds?: boolean,
 *   none?: string}} props */
export function Time({ at, relative = false, day = false, withSeconds = true, none = '–' }) {
  useClock(relative ? 5_000 : 0);
  if (at === 'infinity') return html`<span class="muted">until it is resumed</span>`;
  const date = format.moment(at);
  if (!date) return html`<span class="muted">${at === null || at === undefined ? none : at}</span>`;
  const local = format.localTime(date, { withSeconds });
  return html`<time datetime=${date.toISOString()}
    title=${`${format.utcTime(date)}${relative ? `\n${local} local time` : ''}`}
    >${relative ? format.ago(date) : day ? format.localDay(date) : local}</time>`;
}

/** short: in one unit, for columns; the whole on hover.
 * @param {{seconds: any, short?: boolean}} props */
export const Duration = ({ seconds, short = false }) => html`<span class="number"
  title=${short ? format.duration(seconds) : undefined}>${
  short ? format.shortDuration(seconds) : format.duration(seconds)}</span>`;

/** Zero is grey: what there is stands out. @param {any} value */
const numberClass = (value) => classes('number', Number(value ?? 0) === 0 && 'muted');

/** @param {{value: any}} props */
export const Count = ({ value }) =>
  html`<span class=${numberClass(value)}>${format.count(value)}</span>`;

/** Tokens, short; all digits on hover. @param {{value: any}} props */
export const Tokens = ({ value }) =>
  html`<span class=${numberClass(value)} title=${value === null || value === undefined ? undefined
    : `${format.count(value)} tokens`}>${format.compact(value)}</span>`;

/** In the currency of the models' prices. @param {{value: any}} props */
export const Money = ({ value }) =>
  html`<span class=${numberClass(value)} title=${value === null || value === undefined ? undefined
    : String(value)}>${format.money(value)}</span>`;

/** A value against its limit. Without a limit: the value alone.
 * @param {{value: any, limit?: any, label: string, tone?: 'accent' | 'load', short?: boolean,
 *   extra?: number, extraLabel?: string, write?: (value: any) => string}} props tone load: near the
 *   limit is bad; extra: a second, lighter piece behind the value, such as what is reserved; write:
 *   for what is no count */
export function Bar({ value, limit, label, tone = 'accent', short = true, extra = 0, extraLabel,
  write = short ? format.compact : format.count }) {
  const full = short && write === format.compact ? format.count : write;
  if (value === null || value === undefined) {
    return html`<span class="bar-text muted number"
      >${limit ? `– / ${write(limit)}` : '–'}</span>`;
  }
  if (!limit) {
    return html`<span class="bar-text number">${write(value)}<span class="muted"
      title="no limit"> / ∞</span></span>`;
  }
  const share = Math.min(Number(value) / Number(limit), 1);
  const extraShare = Math.min(extra / Number(limit), 1 - share);
  const level = tone === 'load' ? (share >= 0.85 ? 'bad' : share >= 0.6 ? 'warn' : 'ok') : 'accent';
  const text = `${full(value)} of ${full(limit)}`
    + (extraLabel ? `, ${full(extra)} ${extraLabel}` : '');
  return html`<span class="bar-box" title=${`${label}: ${text} (${format.percent(share)})`}>
    <span class="bar-text number">${write(value)}<span class="muted"> / ${write(limit)}</span>
    </span>
    <span class=${classes('bar', `bar-${level}`)} role="meter" aria-label=${label}
      aria-valuemin="0" aria-valuemax=${Number(limit)}
      aria-valuenow=${Math.min(Number(value), Number(limit))} aria-valuetext=${text}>
      <span class="bar-fill" style=${{ width: `${share * 100}%` }}></span>
      ${extraShare > 0 && html`<span class="bar-fill bar-extra"
        style=${{ width: `${extraShare * 100}%` }}></span>`}
    </span></span>`;
}

/** A share of 1: as a bar with its percentage; mark: a second share, as a line across it.
 * @param {{share: number | null, label: string, mark?: number | null}} props */
export function Share({ share, label, mark = null }) {
  if (share === null || !Number.isFinite(share)) return html`<span class="muted">–</span>`;
  return html`<span class="share" title=${`${label}: ${format.percent(share)}`
      + (mark === null ? '' : `, promised ${format.percent(mark)}`)}>
    <span class="bar bar-accent" role="meter" aria-label=${label} aria-valuemin="0"
      aria-valuemax="100" aria-valuenow=${Math.round(share * 1000) / 10}>
      <span class="bar-fill" style=${{ width: `${Math.min(share, 1) * 100}%` }}></span>
      ${mark !== null && html`<span class="bar-mark"
        style=${{ left: `${Math.min(mark, 1) * 100}%` }}></span>`}
    </span>
    <span class="number">${format.percent(share)}</span></span>`;
}

/** Names and values, as a description list; those without a value are left out.
 * @param {{rows: Array<[string, any] | null | false>, className?: string}} props */
export function Facts({ rows, className }) {
  const shown = /** @type {Array<[string, any]>} */ (rows.filter((row) =>
    row && row[1] !== null && row[1] !== undefined && row[1] !== false));
  return html`<dl class=${classes('facts', className)}>${shown.map(([name, value]) =>
    html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}
