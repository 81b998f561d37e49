// When a batch will be finished, from how its counts have grown.

/** @typedef {{atMs: number, done: number}} Sample */

/** A rate needs so long a look: before, single lines would make it jump. */
const LOOK_MS = 20_000;
/** Counts follow within seconds: that long without a line is a standstill. */
const STALLED_MS = 60_000;
/** The page keeps so many looks: at one in 3 s, six minutes. */
const SAMPLES_MAX = 120;

/** @param {Array<Sample>} samples
 * @param {Sample} next
 * @returns {Array<Sample>} with the next, without those too old to count */
export function withSample(samples, next) {
  const last = samples.at(-1);
  if (last && (next.atMs <= last.atMs || next.done < last.done)) return [next];
  return [...samples, next].slice(-SAMPLES_MAX);
}

/** @typedef {{kind: 'unknown' | 'stalled'} | {kind: 'finishes', perS: number, atMs: number,
 *   inTime: boolean, since: 'look' | 'start'}} Forecast */

/** @param {{total: number, done: number, startedMs: number | null, samples: Array<Sample>,
 *   nowMs: number, windowEndMs: number}} batch
 * @returns {Forecast} */
export function forecast({ total, done, startedMs, samples, nowMs, windowEndMs }) {
  const first = samples[0];
  const lookedMs = first ? nowMs - first.atMs : 0;
  const seen = first && lookedMs >= LOOK_MS ? (done - first.done) / (lookedMs / 1000) : null;
  const ageS = startedMs === null ? 0 : (nowMs - startedMs) / 1000;
  if (seen === 0 && done < total && lookedMs >= STALLED_MS) return { kind: 'stalled' };
  const perS = seen || (ageS > 0 ? done / ageS : 0);
  if (!(perS > 0) || total === 0) return { kind: 'unknown' };
  const atMs = nowMs + ((total - done) / perS) * 1000;
  return { kind: 'finishes', perS, atMs, since: seen ? 'look' : 'start',
    inTime: atMs <= windowEndMs };
}
