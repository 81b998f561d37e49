// The first lines of a batch's errors or results that failed, and why.
import { signedOut, urlOf } from '../api.js';
import { parseErrorLine, parseResultLine } from './error_line.js';

/** @typedef {import('./error_line.js').ErrorLine} ErrorLine */

/** So many lines are shown; the rest is in the download. */
const LINES_MAX = 100;
/** So much is read of a file of errors; of results, most of which may be good, more. */
const ERRORS_CHARS_MAX = 256 * 1024;
const RESULTS_CHARS_MAX = 4 * 1024 * 1024;

/** @param {string} fileId of the lines that failed
 * @param {AbortSignal} signal */
export const readErrorLines = (fileId, signal) =>
  readLines(`v1/files/${fileId}/content`, parseErrorLine, ERRORS_CHARS_MAX, signal);

/** @param {string} batchId of a message batch
 * @param {AbortSignal} signal */
export const readFailedResults = (batchId, signal) =>
  readLines(`v1/messages/batches/${batchId}/results`, parseResultLine, RESULTS_CHARS_MAX, signal);

/** @param {string} path
 * @param {(line: string) => ErrorLine | null} parse null: the line did not fail
 * @param {number} charsMax
 * @param {AbortSignal} signal
 * @returns {Promise<{lines: Array<ErrorLine>, hasMore: boolean}>} */
async function readLines(path, parse, charsMax, signal) {
  const control = new AbortController();
  signal.addEventListener('abort', () => control.abort());
  const answer = await fetch(urlOf(path), { signal: control.signal, credentials: 'same-origin' });
  if (answer.status === 401) signedOut.set(signedOut.get() + 1);
  if (!answer.ok || !answer.body) throw new Error(`HTTP ${answer.status}`);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  /** @type {Array<ErrorLine>} */
  const lines = [];
  let rest = '';
  let isWhole = false;
  for (let read = 0; read < charsMax && lines.length <= LINES_MAX && !isWhole;) {
    const { done, value } = await reader.read();
    isWhole = done;
    read += value?.length ?? 0;
    const whole = (rest + (value ?? '')).split('\n');
    rest = done ? '' : whole.pop() ?? '';
    lines.push(...whole.filter((line) => line !== '').flatMap((line) => parse(line) ?? []));
  }
  if (!isWhole) control.abort();
  return { lines: lines.slice(0, LINES_MAX), hasMore: !isWhole || lines.length > LINES_MAX };
}
