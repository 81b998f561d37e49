// Routes: how their tasks are shared among models, as promised and as received.
import { html, useEffect, useMemo, useState } from '../html.js';
import { act, useApi } from '../api.js';
import { encodePart, go, guardChanges, link } from '../router.js';
import { plural, significant } from '../format.js';
import { Confirm, Dialog, Field, Page, Share, State, Table, ask, toast }
  from '../components/index.js';
import { Changes } from '../components/settings.js';
import { Choice } from './parts/choice.js';
import { sums, useHistory } from './parts/history.js';
import { Revisions } from './parts/revisions.js';
import { noneOf } from './parts/setting_fields.js';
import { Tabs } from './parts/tabs.js';

/** Of each model its weight, or its weight and tier.
 * @typedef {Record<string, number | {weight: number, tier: number}>} Weights */

/** Models of one route in the list of all: those with the largest weights. */
const LISTED_MAX = 15;

/** The last whole hour and what has passed of this one.
 * @type {import('./parts/history.js').Range} */
const LATELY = { span: 3600, step: 'hour', step_s: 3600, every_ms: 60_000 };
const RECEIVED = 'Received: tasks that the models solved since the hour before this one, those '
  + 'that named the model itself included.';

/** @param {ScreenProps} props */
export default function Routes({ params, query }) {
  return params.name === undefined ? html`<${List} />`
    : html`<${Route} key=${params.name} name=${params.name} view=${query.view ?? ''}
      query=${query} />`;
}

/** How many tasks each model has solved lately. */
function useReceived() {
  const history = useHistory({ range: LATELY, by: 'model', isOpen: true });
  return useMemo(() => (history.data === null ? null : new Map(sums(history.data.data,
    (row) => row.model ?? '').map((sum) => [sum.key, sum.solved]))), [history.data]);
}

/** @param {number | {weight: number, tier: number}} place */
const placeOf = (place) => (typeof place === 'object' ? place : { weight: place, tier: 1 });

/** @param {Weights} weights @param {Map<string, number> | null} received */
function sharesOf(weights, received) {
  const entries = Object.entries(weights).map(([model, place]) => ({ model, ...placeOf(place) }));
  const promised = (/** @type {number} */ tier) => entries.reduce((sum, one) =>
    sum + (one.tier === tier ? one.weight : 0), 0);
  const solved = entries.reduce((sum, one) => sum + (received?.get(one.model) ?? 0), 0);
  return entries.map((one) => ({ ...one,
    promised: one.weight > 0 ? one.weight / promised(one.tier) : 0,
    received: received && solved > 0 ? (received.get(one.model) ?? 0) / solved : null }))
    .sort((a, b) => a.tier - b.tier || b.weight - a.weight || a.model.localeCompare(b.model));
}

function List() {
  const routes = useApi('v1/routes');
  const received = useReceived();
  const [isNew, setNew] = useState(false);
  return html`<${Page} title="Routes" note=${RECEIVED} actions=${html`<button type="button"
      class="primary" onClick=${() => setNew(true)}>New route</button>`}>
    <${State} of=${routes} isEmpty=${(/** @type {object} */ all) => Object.keys(all).length === 0}
      empty=${html`<p><b>There are no routes yet.</b></p>
        <p>A task that names a route goes to one of its models, by weight.</p>`}>${
      (/** @type {Record<string, Weights>} */ all) => html`<div class="cards">${
        Object.entries(all).sort(([a], [b]) => a.localeCompare(b)).map(([name, weights]) => html`
        <section class="panel" key=${name}><div class="section-head">
          <h2><a href=${link(['routes', name])} data-row>${name}</a></h2>
          <span class="muted">${plural(Object.keys(weights).length, 'model')}</span></div>
          <${Shares} name=${name} weights=${weights}
            received=${received} /></section>`)}</div>`}<//>
    ${isNew && html`<${NewRoute} onClose=${() => setNew(false)} />`}<//>`;
}

/** @param {{name: string, weights: Weights, received: Map<string, number> | null}} props */
function Shares({ name, weights, received }) {
  const rows = useMemo(() => sharesOf(weights, received), [weights, received]);
  const more = rows.length - LISTED_MAX;
  return html`<${Table} caption=${`Models of route ${name}`} columns=${SHARE_COLUMNS}
      rows=${more > 0 ? rows.slice(0, LISTED_MAX) : rows}
      rowKey=${(/** @type {any} */ row) => row.model} />
    ${more > 0 && html`<p><a href=${link(['routes', name])}
      >${plural(more, 'more model')}</a></p>`}`;
}

/** @type {Array<Column<any>>} */
const SHARE_COLUMNS = [
  { key: 'model', label: 'Model', sort: (row) => row.model, className: 'name-cell',
    render: (row) => html`<a href=${link(['models', row.model])}>${row.model}</a>${
      row.tier > 1 && html` <span class="muted">tier ${row.tier}</span>`}` },
  { key: 'weight', label: 'Weight', numeric: true, descending: true, sort: (row) => row.weight,
    render: (row) => significant(row.weight, 6) },
  { key: 'promised', label: 'Promised', descending: true, hide: 'narrow',
    sort: (row) => row.promised,
    render: (row) => html`<${Share} share=${row.promised} label="Promised" />` },
  { key: 'received', label: 'Received', descending: true, sort: (row) => row.received,
    render: (row) => html`<${Share} share=${row.received} mark=${row.promised}
      label="Received" />` },
];

/** @param {{onClose: () => void}} props */
function NewRoute({ onClose }) {
  const [name, setName] = useState('');
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (name.trim() === '') return;
    onClose();
    go(link(['routes', name.trim()]));
  };
  return html`<${Dialog} title="New route" onClose=${onClose}><form onSubmit=${submit}>
    <${Field} label="Name" value=${name} onInput=${setName} required autofocus
      hint="Not that of a model. Its models and weights come next." />
    <p class="form-end"><button type="submit" class="primary">Next</button></p></form><//>`;
}

/** @param {{name: string, view: string, query: Record<string, string>}} props */
function Route({ name, view, query }) {
  const routes = useApi('v1/routes');
  const models = useApi('v1/models');
  const received = useReceived();
  return html`<${Page} title=${name} note=${`Route. ${RECEIVED}`}>
    <${Tabs} view=${view} views=${[['', 'Weights'], ['choice', 'Choice'],
      ['revisions', 'Revisions']]} />
    ${view === 'revisions' ? html`<${Revisions} kind="routes" name=${name} query=${query} />`
      : view === 'choice' ? html`<${Choice} name=${name} />`
      : html`<${State} of=${routes}>${(/** @type {Record<string, Weights>} */ all) => html`
        <${Editor} name=${name} isNew=${!Object.hasOwn(all, name)}
          saved=${Object.hasOwn(all, name) ? all[name] : {}}
          received=${received}
          models=${(models.data?.data ?? []).map((/** @type {any} */ one) => one.id)
            .filter((/** @type {string} */ id) => !Object.hasOwn(all, id))} />`}<//>`}<//>`;
}

/** @param {{name: string, saved: Weights, isNew: boolean, models: Array<string>,
 *   received: Map<string, number> | null}} props */
function Editor({ name, saved, isNew, models, received }) {
  const [draft, setDraft] = useState(/** @type {Record<string, string> | null} */ (null));
  const [isSaving, setSaving] = useState(false);
  const texts = draft ?? textsOf(saved);
  const weights = Object.fromEntries(Object.entries(texts).map(([model, text]) =>
    [model, Number(text)]));
  const faulty = Object.entries(texts).filter(([model, text]) =>
    text.trim() === '' || !(weights[model] >= 0) || !Number.isFinite(weights[model]));
  const changes = changesOf(textsOf(saved), texts);
  useEffect(() => {
    guardChanges(changes.length > 0 ? () => `The weights of ${name} are not saved.` : null);
    return () => guardChanges(null);
  }, [changes.length, name]);
  const set = (/** @type {string} */ model, /** @type {string | null} */ text) => {
    const { [model]: _, ...others } = texts;
    setDraft(text === null ? others : { ...texts, [model]: text });
  };
  const save = async () => {
    await act('PUT', `v1/routes/${encodePart(name)}`, weights);
    setDraft(null);
    toast(`Route ${name} is saved.`);
  };
  const rest = models.filter((model) => !(model in texts));
  const most = Math.max(100, ...Object.values(saved).map((place) => placeOf(place).weight));
  const places = Object.fromEntries(Object.entries(weights).map(([model, weight]) =>
    [model, { weight, tier: placeOf(saved[model] ?? 0).tier }]));
  const shares = new Map(sharesOf(places, received).map((one) => [one.model, one]));
  return html`<form class="settings" onSubmit=${(/** @type {Event} */ event) => {
      event.preventDefault();
      if (changes.length > 0 && faulty.length === 0) setSaving(true);
    }}>
    ${Object.keys(texts).length === 0 && html`<div class="empty"><p><b>No model yet.</b></p>
      <p>A route without models is none: add the first one below.</p></div>`}
    ${Object.keys(texts).sort((a, b) => a.localeCompare(b)).map((model) => html`<${WeightRow}
      key=${model} model=${model} text=${texts[model]} most=${most} share=${shares.get(model)}
      isFaulty=${faulty.some(([other]) => other === model)}
      isChanged=${changes.some((one) => one.name === model)}
      onInput=${(/** @type {string} */ text) => set(model, text)}
      onRemove=${() => set(model, null)} />`)}
    ${rest.length > 0 && html`<div class="add-row"><${Field} label="Add a model" type="select"
      value=""
      choices=${[['', 'choose…'], ...rest.map((model) => [model, model])]}
      onInput=${(/** @type {string} */ model) => model && set(model, '10')} /></div>`}
    ${changes.length > 0 && html`<div class="save-bar" role="region" aria-label="Unsaved changes">
      <span>${plural(changes.length, 'change')}</span>
      <button type="button" onClick=${() => setDraft(null)}>Discard</button>
      <button type="submit" class="primary"
        disabled=${faulty.length > 0}>Review and save</button></div>`}
    ${!isNew && html`<p class="form-end"><button type="button" class="danger-quiet"
      onClick=${() => remove(name)}>Delete this route…</button></p>`}</form>
    ${isSaving && html`<${Confirm} title=${`Save route ${name}?`} action="Save" run=${save}
      onClose=${() => setSaving(false)}><p>In force with the next claims. Kept as a revision.</p>
      <${Changes} changes=${changes} /><//>`}`;
}

/** @param {Weights} weights */
const textsOf = (weights) => Object.fromEntries(Object.entries(weights).map(([model, place]) =>
  [model, String(placeOf(place).weight)]));

/** @param {Record<string, string>} before @param {Record<string, string>} after */
function changesOf(before, after) {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
    .map((name) => ({ name, before: before[name] ?? '', after: after[name] ?? '',
      none: noneOf('routes', name) }))
    .filter((one) => one.before !== one.after);
}

/** One weight, dragged or typed. @param {any} props */
function WeightRow({ model, text, most, share, isFaulty, isChanged, onInput, onRemove }) {
  const read = (/** @type {any} */ event) => onInput(event.target.value);
  return html`<div class=${`weight-row${isChanged ? ' is-changed' : ''}`}>
    <a href=${link(['models', model])}>${model}</a>
    <input type="range" min="0" max=${most} step=${most > 100 ? 'any' : '0.5'}
      value=${Number(text) || 0}
      aria-label=${`Weight of ${model}`} onInput=${read} />
    <input type="text" inputmode="decimal" class="num" value=${text} onInput=${read}
      aria-label=${`Weight of ${model}, typed`} aria-invalid=${isFaulty ? 'true' : undefined} />
    <span class="weight-shares"><span><span class="muted">promised</span>
        <${Share} share=${share?.promised ?? null} label="Promised" /></span>
      <span><span class="muted">received</span>
        <${Share} share=${share?.received ?? null} mark=${share?.promised}
          label="Received" /></span></span>
    <button type="button" class="quiet" aria-label=${`Remove ${model}`}
      onClick=${onRemove}>Remove</button>
  </div>`;
}

/** @param {string} name */
async function remove(name) {
  const isDone = await ask({ title: `Delete route ${name}?`, action: 'Delete it', danger: true,
    body: html`<p>Tasks that wait in it are not lost: its line stays until they are taken. New ones
      that name it are refused.</p>`,
    run: () => act('DELETE', `v1/routes/${encodePart(name)}`) });
  if (!isDone) return;
  toast(`Route ${name} is deleted.`);
  go(link('routes'));
}
