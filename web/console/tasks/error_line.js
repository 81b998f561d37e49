// One line of a batch's errors or results in words. Nothing here touches the page.

/** @typedef {{custom_id: string, code: string, message: string}} ErrorLine */

/** @param {string} line
 * @returns {ErrorLine} */
export function parseErrorLine(line) {
  /** @type {any} */
  let read = null;
  try {
    read = JSON.parse(line);
  } catch {
    return { custom_id: '–', code: 'not JSON', message: line.slice(0, 300) };
  }
  const answered = read.response;
  const error = read.error ?? answered?.body?.error ?? {};
  return {
    custom_id: String(read.custom_id ?? '–'),
    code: String(error.code ?? error.type ?? (answered ? `HTTP ${answered.status_code}` : '–')),
    message: typeof error === 'string' ? error : String(
      error.message ?? JSON.stringify(answered?.body ?? read)),
  };
}

/** A line of a message batch's results; null: it succeeded.
 * @param {string} line
 * @returns {ErrorLine | null} */
export function parseResultLine(line) {
  /** @type {any} */
  let read = null;
  try {
    read = JSON.parse(line);
  } catch {
    return { custom_id: '–', code: 'not JSON', message: line.slice(0, 300) };
  }
  const { type, error } = read.result ?? {};
  if (type === 'succeeded') return null;
  const fault = error?.error ?? error ?? {};
  return { custom_id: String(read.custom_id ?? '–'), code: String(fault.type ?? type ?? '–'),
    message: String(fault.message ?? { canceled: 'The batch was cancelled before.',
      expired: 'The batch expired before.' }[String(type)] ?? '–') };
}
