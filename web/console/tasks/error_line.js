// One line of a batch's error file in words. Nothing here touches the page.

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
