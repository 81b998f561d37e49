// Which settings there are, and how each is typed. A column that is not here is shown as text, so
// that a newer server's settings can be edited too.

/** @typedef {import('../../components/settings.js').SettingGroup} SettingGroup */

/** @param {string} name @param {Partial<SettingField>} [more] @returns {SettingField} */
const integer = (name, more) => ({ name, kind: 'integer', min: 1, ...more });
/** @param {string} name @param {Partial<SettingField>} [more] @returns {SettingField} */
const interval = (name, more) => ({ name, kind: 'interval', ...more });
/** @param {string} name @param {Partial<SettingField>} [more] @returns {SettingField} */
const text = (name, more) => ({ name, kind: 'text', ...more });

export const APIS = ['solve', 'openai-chat', 'openai-responses', 'openai-embeddings',
  'anthropic-messages'];

/** @type {Array<SettingGroup>} */
export const MODEL_FIELDS = [
  { title: 'Quota', fields: [
    integer('rpm', { none: 'no limit', max: 6_000_000, hint: 'Calls a minute.' }),
    integer('tpm', { none: 'no limit', hint: 'Tokens a minute, in and out.' }),
    integer('burst', { none: 'as rpm allows', hint: 'Calls that may begin at once.' }),
    integer('max_in_flight', { none: 'no limit', hint: 'Calls under way at a time.' }),
    integer('min_in_flight', { hint: 'Below that a backend in trouble is not throttled.' }),
    integer('max_queue', { none: 'no limit', max: 1_000_000,
      hint: 'Waiting tasks; more are refused.' }),
    integer('max_unfinished', { none: 'as the system',
      hint: 'Unfinished tasks; more are refused.' }),
  ] },
  { title: 'Backend', fields: [
    { name: 'api', kind: 'choice', choices: APIS },
    text('url'),
    text('upstream_model', { none: 'the same name', hint: 'Its name at the backend.' }),
    text('secret', { none: 'none',
      hint: 'Where the worker finds it: env:SLUICE_SECRET_NAME or file:PATH.' }),
    { name: 'paths', kind: 'list', none: 'all',
      hint: 'Of api solve: /solve, /single, /batch; one a line.' },
    { name: 'keep_response', kind: 'boolean', none: 'by api',
      hint: 'Whether the backend\'s verbatim reply is stored.' },
  ] },
  { title: 'Calls', fields: [
    { name: 'claim_order', kind: 'choice', choices: ['arrival', 'prefix'],
      hint: 'prefix: tasks that begin alike follow each other, for its prefix cache.' },
    interval('timeout'), integer('max_attempts', { max: 100 }),
    interval('backoff_base', { hint: 'The first retry waits up to this long.' }),
    interval('backoff_max', { hint: 'Longer if the backend asks for it, an hour at most.' }),
    integer('batch_max', { max: 1000, hint: 'Tasks in one call.' }),
    interval('batch_wait', { hint: 'How long a call waits for more of them.' }),
    interval('hedge_after', { none: 'never',
      hint: 'Then another call is made; the first answer wins.' }),
    integer('hedge_max', { max: 10 }),
    { name: 'hedge_budget', kind: 'number', min: 0, max: 1,
      hint: 'Share of calls that may be such.' },
  ] },
  { title: 'Breaker', fields: [
    integer('breaker_failures', { hint: 'Failures in a row after which no calls are made.' }),
    interval('breaker_open', { hint: 'How long none are made before one is tried.' }),
    integer('breaker_successes',
      { hint: 'Tries in a row that must succeed before all calls go through.' }),
  ] },
  { title: 'Prices', fields: [
    { name: 'input_price', kind: 'number', none: 'unknown', min: 0, hint: 'Of a million tokens.' },
    { name: 'output_price', kind: 'number', none: 'unknown', min: 0, hint: 'Of a million tokens.' },
  ] },
];

export const SCOPES = ['system', 'model', 'route', 'tenant', 'key', 'tag'];

/** @type {Array<SettingGroup>} */
export const BUDGET_FIELDS = [
  { title: 'What counts', fields: [
    { name: 'scope', kind: 'choice', choices: SCOPES },
    text('subject', { none: 'all', hint: 'Whose; of a tag: key=value.' }),
    { name: 'period', kind: 'choice', choices: ['day', 'week', 'month', 'rolling'] },
    text('zone', { hint: 'Where days, weeks and months begin.' }),
    interval('rolling', { none: 'none', hint: 'Of period rolling: the time before now.' }),
  ] },
  { title: 'Limit', fields: [
    text('limit', { hint: 'In the currency of the prices.' }),
    { name: 'is_hard', kind: 'boolean', hint: 'Never exceeded; or it only tells.' },
    { name: 'marks', kind: 'list', hint: 'Per cent at which it tells; one a line.' },
    { name: 'at_limit', kind: 'choice', choices: ['park', 'refuse', 'reroute'] },
    text('reroute_to', { none: 'none', hint: 'The model of at_limit reroute.' }),
  ] },
];

const COUNT = { min: 0, none: 'no limit' };

/** @type {Array<SettingGroup>} */
export const TENANT_FIELDS = [
  { title: 'Share and quota', fields: [
    { name: 'weight', kind: 'number', min: 0, hint: 'Its share beside other tenants\' weights.' },
    integer('rpm', { none: 'no limit', hint: 'Calls a minute, over all models.' }),
    integer('tpm', { none: 'no limit', hint: 'Tokens a minute, over all models.' }),
    integer('max_unfinished', { none: 'as the system',
      hint: 'Unfinished tasks; more are refused.' }),
    integer('max_priority', { min: -100, max: 100, none: 'as the system' }),
  ] },
  { title: 'Models, batches and files', fields: [
    { name: 'models', kind: 'list', none: 'as the system',
      hint: 'That its tasks may name; one a line.' },
    integer('max_batches', { min: 0, none: 'as the system', hint: 'Open ones.' }),
    integer('max_files', { min: 0, none: 'as the system' }),
    integer('files_bytes_max', { min: 0, none: 'as the system', hint: 'Of all its files.' }),
    text('role', { none: 'none', hint: 'The database role that is bound to it.' }),
  ] },
];

/** @type {Array<SettingGroup>} */
export const SYSTEM_FIELDS = [
  { title: 'Tasks', fields: [
    integer('max_unfinished', { hint: 'Unfinished tasks of all models; more are refused.' }),
    text('default_model', { none: 'none', hint: 'Where a task goes that names no model.' }),
    interval('ageing', { hint: 'After which a waiting task rises.' }),
    interval('unsent_timeout', { hint: 'How long a task is tried that cannot be sent.' }),
    integer('request_bytes_max', { max: 268_435_456 }),
    integer('claim_bytes_max', { max: 268_435_456 }),
    { name: 'events', kind: 'boolean', hint: 'Announce ended tasks.' },
    text('trace_url', { none: 'none', hint: 'Link to a trace: has {trace_id}.' }),
  ] },
  { title: 'Kept', fields: [
    interval('retention', { hint: 'How long finished tasks are kept.' }),
    interval('history', { hint: 'How long the history of plots and spend is kept.' }),
  ] },
  { title: 'Workers', fields: [
    interval('heartbeat_timeout', { hint: 'After which a silent worker counts as dead.' }),
    interval('idle_look', { hint: 'How often a sleeping worker looks at the database.' }),
  ] },
  { title: 'Tenants that say nothing else', fields: [
    integer('max_tenants', { ...COUNT, hint: 'Without a row of their own; 0: none.' }),
    integer('tenant_max_unfinished', { none: 'no limit' }),
    integer('tenant_max_batches', COUNT), integer('tenant_max_files', COUNT),
    integer('tenant_files_bytes_max', COUNT),
    integer('tenant_max_priority', { min: 0, max: 100, none: '100' }),
    { name: 'tenant_models', kind: 'list', none: 'all', hint: 'One a line.' },
    text('default_role', { none: 'administrators alone',
      hint: 'Whose members act for tenants without a role; public: everybody.' }),
  ] },
];

/** @type {Record<string, Array<SettingGroup>>} */
const OF_KIND = { models: MODEL_FIELDS, tenants: TENANT_FIELDS, settings: SYSTEM_FIELDS,
  budgets: BUDGET_FIELDS };

/** What it means that a setting has no value, such as "no limit".
 * @param {string} kind of a revision
 * @param {string} name */
export function noneOf(kind, name) {
  if (kind === 'routes') return 'not in the route';
  return OF_KIND[kind]?.flatMap((group) => group.fields).find((field) => field.name === name)?.none
    ?? 'none';
}

/** The groups with the fields that the server has, and a group of those that only it knows.
 * @param {Array<SettingGroup>} groups
 * @param {Record<string, any>} values
 * @param {Array<string>} hidden names that are shown elsewhere
 * @returns {Array<SettingGroup>} */
export function fieldsFor(groups, values, hidden) {
  const known = new Set([...hidden, ...groups.flatMap((group) =>
    group.fields.map((field) => field.name))]);
  const others = Object.keys(values).filter((name) => !known.has(name));
  return [
    ...groups.map((group) => ({ ...group,
      fields: group.fields.filter((field) => field.name in values) })),
    { title: 'Others', fields: others.map((name) => unknownField(name, values[name])) },
  ].filter((group) => group.fields.length > 0);
}

/** @param {string} name @param {unknown} value @returns {SettingField} */
function unknownField(name, value) {
  const kind = typeof value === 'boolean' ? 'boolean' : typeof value === 'number' ? 'number'
    : Array.isArray(value) ? 'list' : 'text';
  return { name, kind, none: 'none' };
}
