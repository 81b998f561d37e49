// How settings were changed, by whom, and back again with one click.
import { html, useState } from '../../html.js';
import { act, useApi } from '../../api.js';
import { encodePart, link, setQuery } from '../../router.js';
import { settingText } from '../../format.js';
import { Badge, Confirm, FormError, Loading, State, Time, toast }
  from '../../components/index.js';
import { Changes, Value } from '../../components/settings.js';
import { noneOf } from './setting_fields.js';
import { Who } from './who.js';

const PAGE_ROWS = 50;
/** Where what a revision is of is shown.
 * @type {Record<string, (name: string) => string>} */
const PLACES = {
  models: (name) => link(['models', name]),
  routes: (name) => link(['routes', name]),
  tenants: (name) => link(['tenants', name]),
  settings: () => link('system', { view: 'settings' }),
};

/** @param {{kind?: string, name?: string, query: Record<string, string>}} props
 *   without a kind: those of everything */
export function Revisions({ kind, name, query }) {
  const search = new URLSearchParams({ limit: String(PAGE_ROWS) });
  if (kind) search.set('kind', kind);
  if (name) search.set('name', name);
  if (query.before) search.set('before', query.before);
  const revisions = useApi(`v1/revisions?${search}`);
  const [reverted, setReverted] = useState(/** @type {Revision | null} */ (null));
  return html`<${State} of=${revisions} empty=${html`<p><b>Nothing has been changed yet.</b></p>
      <p>Each change of settings, by whatever way, is kept here with who made it, and can be taken
      back.</p>`}>${(/** @type {List<Revision>} */ list) => html`
    <ol class="revisions">${list.data.map((one) => html`<${One} key=${one.id} revision=${one}
      isNamed=${!name} onRevert=${() => setReverted(one)} />`)}</ol>
    <${Pages} list=${list.data} size=${PAGE_ROWS} query=${query} />`}<//>
    ${reverted && html`<${Revert} revision=${reverted} onClose=${() => setReverted(null)} />`}`;
}

/** Newer and older, by the id before which a page begins.
 * @param {{list: Array<{id: string}>, size: number, query: Record<string, string>}} props */
export function Pages({ list, size, query }) {
  const last = list.at(-1);
  if (!query.before && list.length < size) return null;
  return html`<p class="pages">
    ${query.before && html`<button type="button"
      onClick=${() => setQuery({ before: null })}>Newest</button>`}
    ${last && list.length >= size && html`<button type="button"
      onClick=${() => setQuery({ before: last.id })}>Older</button>`}</p>`;
}

/** @param {{revision: Revision, isNamed: boolean, onRevert: () => void}} props */
function One({ revision, isNamed, onRevert }) {
  const changes = changesOf(revision);
  const action = { insert: 'made', update: 'changed', delete: 'deleted' }[revision.action];
  const place = PLACES[revision.kind]?.(revision.name);
  const name = revision.name || 'of all';
  return html`<li class="revision">
    <div class="revision-head"><${Time} at=${revision.at} />
      <span>${isNamed && html`<span class="muted">${revision.kind}</span>
        ${' '}${place ? html`<a href=${place}><b>${name}</b></a>` : html`<b>${name}</b>`} `}
        ${action} by ${' '}<${Who} who=${revision.who} /></span>
      ${revision.reverts && html`<${Badge} tone="muted">takes back ${revision.reverts}<//>`}
      ${revision.action !== 'insert' && html`<button type="button" class="quiet" onClick=${onRevert}
        aria-label=${`Revert revision ${revision.id} of ${revision.name || 'the settings'}`}>
          Revert</button>`}
    </div>
    <ul class="diff">${changes.map((one) => html`<li key=${one.name}><code>${one.name}</code>
      ${revision.action === 'update' && html`<span class="before"><${Value}
        text=${one.before} none=${one.none} /></span>
        <span aria-label="becomes">→</span>`}
      <span class="after"><${Value}
        text=${revision.action === 'delete' ? one.before : one.after}
        none=${one.none} /></span>
      </li>`)}</ul></li>`;
}

/** @param {Revision} revision */
function changesOf({ kind, before, after }) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return names.map((name) => ({ name, before: settingText(before?.[name]),
    after: settingText(after?.[name]), none: noneOf(kind, name) }))
    .filter((one) => one.before !== one.after);
}

/** Where what a revision is of can be read as it is now.
 * @type {Record<string, (name: string) => string>} */
const SOURCES = {
  models: (name) => `v1/models/${encodePart(name)}`,
  routes: () => 'v1/routes',
  tenants: (name) => `v1/tenants/${encodePart(name)}`,
  settings: () => 'v1/settings',
};

/** What a revision is of, as it is now.
 * @param {Revision} revision
 * @returns {{row: Record<string, any> | null | undefined, error: any}} row: null: it is gone;
 *   undefined: that is not known yet */
function useRow({ kind, name, before, after }) {
  const source = useApi(SOURCES[kind]?.(name) ?? null);
  if (source.error?.status === 404) return { row: null, error: null };
  if (source.data === null) return { row: undefined, error: source.error };
  if (kind !== 'routes') return { row: source.data, error: null };
  const model = String((after ?? before)?.model);
  const weights = Object.hasOwn(source.data, name) ? source.data[name] : {};
  return { row: Object.hasOwn(weights, model) ? { route: name, model, weight: weights[model] }
    : null, error: null };
}

/** @param {{revision: Revision, onClose: () => void}} props */
function Revert({ revision, onClose }) {
  const { row, error } = useRow(revision);
  const [isForced, setForced] = useState(false);
  const changes = changesOf(revision).map((one) => ({ name: one.name, left: one.after,
    before: row === null ? null : settingText(row?.[one.name]), after: one.before,
    none: one.none }));
  const moved = row === undefined || revision.action === 'delete' ? []
    : changes.filter((one) => one.before !== one.left);
  const isDone = Boolean(row) && changes.every((one) => one.before === one.after);
  const isOver = isForced || (moved.length > 0 && !isDone);
  const run = async () => {
    try {
      await act('POST', `v1/revisions/${revision.id}/revert`, isOver ? { force: true } : {});
    } catch (thrown) {
      if (/** @type {any} */ (thrown).status === 409) setForced(true);
      throw thrown;
    }
    toast(`${revision.name || 'Settings'}: the change was taken back.`);
  };
  return html`<${Confirm} title=${`Take back this change of ${revision.name || 'the settings'}?`}
    danger=${isOver} action=${isOver ? 'Revert anyway' : 'Revert'} run=${run}
    disabled=${row === undefined || isDone} onClose=${onClose}>
    <p>Made by <${Who} who=${revision.who} />, <${Time} at=${revision.at} />. In force at once; it
      becomes a revision of its own.</p>
    ${error ? html`<${FormError} error=${error} />` : row === undefined
      ? html`<${Loading} rows=${2} />` : html`<${Changes} changes=${changes} />`}
    ${isDone ? html`<p class="muted">All is as it was before this change already.</p>`
      : moved.length > 0 && html`<p class="warning">Changed again since:
        ${' '}<b>${moved.map((one) => one.name).join(', ')}</b>. That is taken back, too.</p>`}
    <//>`;
}
