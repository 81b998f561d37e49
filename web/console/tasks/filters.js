// The filters of the task list: their names in the URL, what the search is asked for, and what a
// job can be told of them. Nothing here touches the page.

export const WAITING = ['unsolved', 'queued'];
export const UNFINISHED = [...WAITING, 'processing'];
export const ENDED = ['solved', 'failed', 'cancelled', 'expired'];
export const REDRIVABLE = ['failed', 'cancelled', 'expired'];
export const STATUSES = [...UNFINISHED, ...ENDED];

/** All filters that the search knows, in the order in which they are named to people. */
const NAMES = ['status', 'model', 'tenant', 'batch_id', 'priority', 'since', 'until',
  'error_code', 'metadata_key', 'metadata_value', 'text'];

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The moment that a filter names: "15m", "24h" and "7d" are so long ago, all else is a time.
 * @param {string | undefined} text
 * @param {number} nowMs
 * @returns {string | null} in UTC; null: it names none */
export function instant(text, nowMs) {
  const value = (text ?? '').trim();
  const ago = /^(\d{1,5})([mhd])$/.exec(value);
  if (ago) {
    const unit = /** @type {keyof typeof UNIT_MS} */ (ago[2]);
    return new Date(nowMs - Number(ago[1]) * UNIT_MS[unit]).toISOString();
  }
  const ms = value === '' ? NaN : Date.parse(value);
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}

/** The filters that are set, and only those.
 * @param {Record<string, string>} query
 * @returns {Record<string, string>} */
export function inForce(query) {
  return Object.fromEntries(NAMES.filter((name) => query[name]?.trim())
    .map((name) => [name, query[name].trim()]));
}

/** The address of one page of the search.
 * @param {Record<string, string>} query
 * @param {number} nowMs
 * @param {{ before?: string | null, limit?: number }} [page] */
export function searchPath(query, nowMs, page = {}) {
  const asked = new URLSearchParams();
  for (const [name, value] of Object.entries(inForce(query))) {
    if (name === 'metadata_value' && !query.metadata_key?.trim()) continue;
    const time = name === 'since' || name === 'until';
    const told = time ? instant(value, nowMs) : value;
    if (told !== null) asked.set(name, told);
  }
  if (page.before) asked.set('before', page.before);
  asked.set('limit', String(page.limit ?? 50));
  return `v1/tasks/search?${asked}`;
}

/** What a job does to which tasks, by their status. */
const OF_ACTION = { cancel: UNFINISHED, redrive: REDRIVABLE, move: WAITING, prioritise: WAITING,
  forget: ENDED };
/** @typedef {keyof typeof OF_ACTION} Action */
const ACTION_NAMES = /** @type {Array<Action>} */ (Object.keys(OF_ACTION));

/** Which bulk actions tasks that meet these filters allow.
 * @param {Record<string, string>} query
 * @returns {Array<Action>} */
export function actionsFor(query) {
  return ACTION_NAMES.filter((action) => (!query.status || OF_ACTION[action].includes(query.status))
    // only what has ended has an error
    && (!query.error_code || action === 'redrive' || action === 'forget'));
}

/** As the server takes them. */
export const JOB_IDS_MAX = 200;

/** The filters of a search as a job is told them.
 * @param {Record<string, string>} query
 * @param {Action} action
 * @param {number} nowMs
 * @param {Record<string, unknown> | null} [sample] metadata of a task that meets them
 * @returns {{filter: Record<string, any>, cannot: Array<string>}} cannot: the names of those that
 *   a job cannot be told: with one of them in force it would hit other tasks */
export function jobFilter(query, action, nowMs, sample) {
  const set = inForce(query);
  /** @type {Record<string, any>} */
  const filter = {};
  const cannot = ['priority', 'text'].filter((name) => set[name]);
  for (const name of ['status', 'model', 'tenant', 'batch_id', 'error_code']) {
    if (set[name]) filter[name] = set[name];
  }
  if (action === 'redrive' && !set.status) filter.status = 'failed';
  for (const name of ['since', 'until']) {
    if (!set[name]) continue;
    const at = instant(set[name], nowMs);
    // Of what has ended, jobs look at the time of the end, the search at that of the submit.
    if (at === null || action === 'redrive' || action === 'forget') cannot.push(name);
    else filter[name] = at;
  }
  if (set.metadata_key && set.metadata_value) {
    filter.metadata = { [set.metadata_key]:
      typedAs(sample?.[set.metadata_key], set.metadata_value) };
  } else if (set.metadata_key) {
    cannot.push('metadata key without a value');
  }
  if (Object.keys(filter).length === 0 && cannot.length === 0) filter.everything = true;
  return { filter, cannot };
}

/** The search compares metadata as text, a job as JSON: 5 is not "5" there.
 * @param {unknown} sample
 * @param {string} text */
function typedAs(sample, text) {
  return typeof sample !== 'string' && sample !== undefined && JSON.stringify(sample) === text
    ? sample : text;
}

/** A job's filter in words, for lists and questions.
 * @param {Record<string, any> | null | undefined} filter
 * @returns {Array<[string, string]>} name and value */
export function filterWords(filter) {
  return Object.entries(filter ?? {})
    .filter(([name, value]) => value !== null && value !== undefined && name !== 'everything')
    .map(([name, value]) => [name.replaceAll('_', ' '), Array.isArray(value) ? value.join(', ')
      : typeof value === 'object' ? JSON.stringify(value) : String(value)]);
}

/** Where the tasks of a job are found now: by its filter, and by what it has made of them.
 * @param {import('./types.js').Job} job
 * @returns {Record<string, string> | null} null: its filter names them by their ids */
export function tasksOf({ action, filter, state, to, priority }) {
  if (filter?.ids) return null;
  const given = filter ?? {};
  const isUndone = state === 'undone';
  const isAboutEnds = action === 'redrive' || action === 'forget';
  const [key, value] = Object.entries(given.metadata ?? {})[0] ?? [];
  const query = {
    status: action === 'cancel' && !isUndone ? 'cancelled'
      : action === 'forget' || isUndone ? given.status : null,
    model: (!isUndone && to) || given.model || given.route,
    tenant: given.tenant,
    batch_id: given.batch_id,
    priority: action === 'prioritise' && !isUndone ? priority : null,
    error_code: action === 'forget' || isUndone ? given.error_code : null,
    // Of ends a job looks at their own time, the search at that of the submit.
    since: isAboutEnds ? null : given.since,
    until: isAboutEnds ? null : given.until,
    metadata_key: key,
    metadata_value: typeof value === 'object' ? JSON.stringify(value) : value,
  };
  return Object.fromEntries(Object.entries(query)
    .filter(([, one]) => one !== null && one !== undefined && one !== '')
    .map(([name, one]) => [name, String(one)]));
}

/** @type {Array<[string, string]>} */
const AGO = [['15m', '15 minutes ago'], ['1h', 'an hour ago'], ['24h', 'a day ago'],
  ['7d', 'a week ago'], ['30d', '30 days ago']];

/** The filter of a beginning: so long ago, or an exact time.
 * @param {string} label
 * @param {string | undefined} value
 * @param {number} nowMs
 * @returns {import('../components/forms.js').FilterField} */
export function sinceField(label, value, nowMs) {
  if (value && !AGO.some(([ago]) => ago === value)) return { name: 'since', label, type: 'time' };
  const hourMs = UNIT_MS.h;
  const exact = new Date(Math.floor(nowMs / hourMs) * hourMs).toISOString();
  return { name: 'since', label, type: 'select',
    choices: [['', 'ever'], ...AGO, [exact, 'a time…']] };
}
