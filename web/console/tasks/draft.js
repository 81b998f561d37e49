// A task as the form of Submit has it, and the request that it becomes. Nothing here touches the
// page.
import { instant } from './filters.js';

/** @typedef {typeof EMPTY} Draft */

export const EMPTY = { kind: 'prompt', prompt: '', request: '', model: '', priority: '', tenant: '',
  run_at: '', deadline: '', max_output_tokens: '', max_attempts: '', metadata: '',
  idempotency_key: '' };

/** What is wrong with a draft, by field; the server checks the same again, and more.
 * @param {Draft} draft
 * @param {boolean} hasDefault whether it needs no model
 * @returns {Record<string, string>} */
export function faultsOf(draft, hasDefault) {
  /** @type {Record<string, string>} */
  const faults = {};
  if (draft.model === '' && !hasDefault) faults.model = 'Choose one: there is no default model.';
  if (draft.kind === 'prompt' ? draft.prompt === '' : draft.request.trim() === '') {
    faults[draft.kind] = 'There is nothing to send yet.';
  }
  for (const name of /** @type {const} */ (['request', 'metadata'])) {
    const isUnused = name === 'request' && draft.kind === 'prompt';
    const fault = isUnused || draft[name].trim() === '' ? null : objectFault(draft[name]);
    if (fault) faults[name] = fault;
  }
  if (draft.priority !== '' && !(/^-?\d{1,3}$/.test(draft.priority)
    && Math.abs(Number(draft.priority)) <= 100)) {
    faults.priority = 'A whole number from -100 to 100.';
  }
  for (const name of /** @type {const} */ (['max_output_tokens', 'max_attempts'])) {
    if (draft[name] !== '' && !/^[1-9]\d{0,9}$/.test(draft[name])) {
      faults[name] = 'A whole number above 0.';
    }
  }
  return faults;
}

/** @param {string} text @returns {string | null} */
function objectFault(text) {
  try {
    const value = JSON.parse(text);
    return value && typeof value === 'object' && !Array.isArray(value) ? null
      : 'A JSON object: {"key": "value"}.';
  } catch (thrown) {
    return `Not JSON: ${/** @type {Error} */ (thrown).message}`;
  }
}

/** The body of POST /v1/tasks as text, so that numbers in what was typed keep all their digits.
 * @param {Draft} draft */
export function bodyOf(draft) {
  const parts = [draft.kind === 'prompt' ? `"prompt":${JSON.stringify(draft.prompt)}`
    : `"request":${draft.request.trim()}`];
  for (const name of /** @type {const} */ (['model', 'tenant', 'idempotency_key'])) {
    if (draft[name].trim() !== '') parts.push(`"${name}":${JSON.stringify(draft[name].trim())}`);
  }
  for (const name of /** @type {const} */ (['run_at', 'deadline'])) {
    const at = instant(draft[name], 0);
    if (at) parts.push(`"${name}":${JSON.stringify(at)}`);
  }
  for (const name of /** @type {const} */ (['priority', 'max_output_tokens', 'max_attempts',
    'metadata'])) {
    if (draft[name].trim() !== '') parts.push(`"${name}":${draft[name].trim()}`);
  }
  return `{${parts.join(',')}}`;
}
