// Reads sentences of the server: of `explain`, how many tasks are ahead, and what a newcomer can do
// about it; of doctor, what a finding speaks of. Nothing here touches the page.

/** How many tasks are ahead, as the sentence says it.
 * @param {string | null | undefined} sentence
 * @returns {{ count: number, isMore: boolean } | null} */
export function aheadIn(sentence) {
  if (!sentence) return null;
  if (/\bfirst in its queue\b/.test(sentence)) return { count: 0, isMore: false };
  const found = /(more than )?(\d[\d,]*) ahead\b/.exec(sentence);
  return found && { count: Number(found[2].replaceAll(',', '')), isMore: Boolean(found[1]) };
}

/** The sentence without its advice for a terminal: the page has a button there.
 * @param {string} sentence */
export function withoutCommand(sentence) {
  return sentence.replace(/; redrive with sluice redrive \d+/, '');
}

/** to: a screen; "model": that of the task's model, or of its settings.
 * @typedef {{pattern: RegExp, words: string, command?: string, to?: string,
 *   toWords?: string}} Hint */

/** @type {Array<Hint>} the first that fits is shown */
const HINTS = [
  { pattern: /no live worker serves|stopped proving life/,
    words: 'No worker is running that calls this model. Start one beside the database; the task '
      + 'starts within a second.',
    command: 'sluice worker', to: 'system', toWords: 'Workers' },
  { pattern: /\bpaused\b/,
    words: 'Somebody paused the model. Nothing is lost: the task goes on when it is resumed.',
    to: 'model', toWords: 'Open the model' },
  { pattern: /\b(credential|HTTP 40[13])\b/,
    words: 'The backend refuses the key that the worker has. Mend the secret, then resume the '
      + 'model: no task fails for it meanwhile.', to: 'model', toWords: 'Open the model' },
  { pattern: /\bparked\b/,
    words: 'Every call would fail, so Sluice makes none, and no task is lost. Mend what the reason '
      + 'says, then resume the model.', to: 'model', toWords: 'Open the model' },
  { pattern: /\bclosed\b/,
    words: 'The model is closed until then, or until somebody resumes it.',
    to: 'model', toWords: 'Open the model' },
  { pattern: /\bbreaker\b/,
    words: 'The backend has failed several times in a row. Sluice tries it again by itself.',
    to: 'model', toWords: 'Open the model' },
  { pattern: /tenant ".*" has no permit/,
    words: 'The tenant has used up what it may send in a minute; it goes on by itself.' },
  { pattern: /next permit/,
    words: 'The model has used up the calls it may make in a minute; the queue goes on by itself. '
      + 'A higher rpm or tpm makes it faster, if the backend allows it.',
    to: 'settings', toWords: 'Change the quota' },
  { pattern: /slots .*busy|max_in_flight/,
    words: 'As many calls are under way as may be; the next one to end makes room.' },
  { pattern: /run_at/, words: 'It was submitted for later.' },
  { pattern: /retry|try again/,
    words: 'The last attempt failed in a way that may pass; Sluice tries again by itself.' },
  { pattern: /has a weight/, words: 'No model of the route has a weight.',
    to: 'routes', toWords: 'Routes' },
];

/** What can be done about what a sentence says.
 * @param {string | null | undefined} sentence
 * @returns {Hint | null} */
export function hintFor(sentence) {
  // Of a route it names every model: one that can take the task is enough.
  if (!sentence || / can be taken by /.test(sentence)) return null;
  return HINTS.find(({ pattern }) => pattern.test(sentence)) ?? null;
}

/** A sentence cut at the name of the model that it speaks of: "the breaker of model x is open".
 * @param {string} sentence
 * @param {Array<string>} models those that there are
 * @returns {{before: string, model: string | null, after: string}} */
export function modelIn(sentence, models) {
  let best = { before: sentence, model: /** @type {string | null} */ (null), after: '' };
  for (const model of models) {
    const at = sentence.search(/\bmodel /) + 'model '.length;
    const end = at + model.length;
    // Of "a" and "a b", the longer name is meant.
    if (at >= 'model '.length && sentence.startsWith(model, at) && /^([\s:,]|$)/.test(
      sentence.slice(end)) && model.length > (best.model ?? '').length) {
      best = { before: sentence.slice(0, at), model, after: sentence.slice(end) };
    }
  }
  return best;
}

/** Where what a finding complains of can be seen or mended.
 * @param {Finding} finding
 * @param {string | null} model that it speaks of
 * @returns {{to: string | Array<string>, query?: Query, words: string} | null} */
export function placeOfFinding({ check, finding, way_out: wayOut }, model) {
  if (model !== null && check === 'errors') {
    return { to: 'dead-letters', query: { model }, words: 'its dead letters' };
  }
  if (model !== null && ['backends', 'depth', 'secrets'].includes(check)) {
    return { to: ['models', model], query: { view: 'settings' }, words: 'its settings' };
  }
  const tenant = /^tenant (.+) is bound to role /.exec(finding)?.[1];
  if (tenant) {
    return { to: ['tenants', tenant], query: { view: 'settings' }, words: 'its settings' };
  }
  return /\bsettings\./.test(`${finding} ${wayOut}`)
    ? { to: 'system', query: { view: 'settings' }, words: 'settings' } : null;
}
