// History of calls: which time is shown, and rows of the server as lines of a plot.
import { useMemo } from '../../html.js';
import { useApi } from '../../api.js';
import { useClock } from '../../components/index.js';

const MINUTE_S = 60;
const HOUR_S = 3600;
const DAY_S = 86_400;

/** @typedef {{span: number,
 *   step: 'minute' | 'hour' | 'day' | 'all', step_s: number, every_ms: number}} Range */
/** @type {Record<string, Range>} */
export const RANGES = {
  '1h': { span: HOUR_S, step: 'minute', step_s: MINUTE_S, every_ms: 20_000 },
  '6h': { span: 6 * HOUR_S, step: 'minute', step_s: MINUTE_S, every_ms: 60_000 },
  '24h': { span: DAY_S, step: 'minute', step_s: MINUTE_S, every_ms: 120_000 },
  '7d': { span: 7 * DAY_S, step: 'hour', step_s: HOUR_S, every_ms: 600_000 },
  '30d': { span: 30 * DAY_S, step: 'hour', step_s: HOUR_S, every_ms: 600_000 },
};

/** The end of the last whole step, and the beginning of the range before it, in seconds. */
function windowOf(/** @type {Range} */ range, now = Date.now() / 1000) {
  const until = Math.floor(now / range.step_s) * range.step_s;
  return { since: until - range.span, until };
}

/** @param {number} seconds */
export const isoOf = (seconds) => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');

/** @param {{range: Range, model?: string, tenant?: string, by?: string, isOpen?: boolean}} what
 *   isOpen: with the step that is not over yet
 * @returns {Loaded<List<HistoryRow>> & {since: number, until: number}} */
export function useHistory({ range, model, tenant, by = 'none', isOpen = false }) {
  useClock(range.every_ms);
  const { since, until } = windowOf(range);
  const search = new URLSearchParams({ step: range.step, since: isoOf(since), by });
  if (!isOpen) search.set('until', isoOf(until));
  if (model !== undefined) search.set('model', model);
  if (tenant !== undefined) search.set('tenant', tenant);
  const loaded = useApi(`v1/history?${search}`, { interval: isOpen ? range.every_ms : 0 });
  return { ...loaded, since, until };
}

/** Rows as columns over whole steps; a step without a row has zeros, and no latency.
 * @param {Array<HistoryRow>} rows
 * @param {{since: number, until: number, step_s: number}} window */
export function useColumns(rows, { since, until, step_s }) {
  return useMemo(() => {
    /** @type {Array<number>} */
    const at = [];
    for (let second = since; second < until; second += step_s) at.push(second);
    /** @type {Map<number, HistoryRow>} */
    const byTime = new Map(rows.map((row) => [Date.parse(row.at) / 1000, row]));
    return {
      at,
      /** @param {(row: HistoryRow) => number | null} of */
      amounts: (of) => at.map((second) => {
        const row = byTime.get(second);
        return row ? Number(of(row) ?? 0) : 0;
      }),
      /** @param {(row: HistoryRow) => number | null} of */
      levels: (of) => at.map((second) => {
        const row = byTime.get(second);
        return row ? of(row) : null;
      }),
    };
  }, [rows, since, until, step_s]);
}

/** Sums of a list, by a key.
 * @param {Array<HistoryRow>} rows
 * @param {(row: HistoryRow) => string} keyOf
 * @returns {Array<Sum>}
 * @typedef {{key: string, model: string | null, tenant: string | null,
 *   key_name: string | null, at: string, solved: number, failed: number, cancelled: number,
 *   expired: number, retries: number, hedges: number,
 *   input_tokens: number, output_tokens: number, tokens: number, wasted_tokens: number,
 *   cost: number}} Sum */
export function sums(rows, keyOf) {
  /** @type {Map<string, any>} */
  const found = new Map();
  for (const row of rows) {
    const key = keyOf(row);
    const sum = found.get(key) ?? { key, model: row.model, tenant: row.tenant,
      key_name: row.key_name ?? null, at: row.at,
      ...Object.fromEntries([...AMOUNTS, 'tokens'].map((name) => [name, 0])) };
    for (const name of AMOUNTS) sum[name] += Number(/** @type {any} */ (row)[name] ?? 0);
    sum.tokens += Number(row.input_tokens ?? 0) + Number(row.output_tokens ?? 0);
    found.set(key, sum);
  }
  return [...found.values()];
}

const AMOUNTS = ['solved', 'failed', 'cancelled', 'expired', 'retries', 'hedges', 'input_tokens',
  'output_tokens', 'wasted_tokens', 'cost'];
