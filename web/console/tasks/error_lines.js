// The first lines of a batch's error file: which line failed, and why.
import { signedOut, urlOf } from '../api.js';
import { parseErrorLine } from './error_line.js';

/** @typedef {import('./error_line.js').ErrorLine} ErrorLine */

/** So much of the file is read, and so many lines are shown; the rest is in the download. */
const BYTES_MAX = 256 * 1024;
const LINES_MAX = 100;

/** @param {string} fileId
 * @param {AbortSignal} signal
 * @returns {Promise<{lines: Array<ErrorLine>, hasMore: boolean}>} */
export async function readErrorLines(fileId, signal) {
  const control = new AbortController();
  signal.addEventListener('abort', () => control.abort());
  const answer = await fetch(urlOf(`v1/files/${fileId}/content`),
    { signal: control.signal, credentials: 'same-origin' });
  if (answer.status === 401) signedOut.set(signedOut.get() + 1);
  if (!answer.ok || !answer.body) throw new Error(`HTTP ${answer.status}`);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  let isWhole = false;
  while (text.length < BYTES_MAX) {
    const { done, value } = await reader.read();
    isWhole = done;
    if (done) break;
    text += value;
  }
  if (!isWhole) control.abort();
  const lines = text.split('\n').filter((line, index, all) =>
    line !== '' && (isWhole || index < all.length - 1));
  return { lines: lines.slice(0, LINES_MAX).map(parseErrorLine),
    hasMore: !isWhole || lines.length > LINES_MAX };
}
