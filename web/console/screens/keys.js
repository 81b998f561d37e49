// API keys: who may come in. A key itself is shown once, when it is made.
import { html, useState } from '../html.js';
import { act, useApi } from '../api.js';
import { setQuery } from '../router.js';
import { Badge, Choices, Copy, Dialog, Field, FormError, Page, State, Table, Time, ask, toast }
  from '../components/index.js';

const PAGE_ROWS = 100;
/** @type {Array<[string, string]>} */
const SCOPES = [['submit', 'submits, cancels, redrives and forgets tasks'],
  ['read', 'sees tasks, queues and workers'],
  ['admin', 'all of it, and the configuration; never with a tenant']];

/** @param {ScreenProps} props */
export default function Keys({ query, session }) {
  const search = new URLSearchParams({ limit: String(PAGE_ROWS) });
  if (query.after) search.set('after', query.after);
  const keys = useApi(`v1/keys?${search}`);
  const [isNew, setNew] = useState(false);
  const isAll = query.show === 'all';
  const mine = session.key_id;
  return html`<${Page} title="API keys"
    note="Sluice stores only a digest of each: a lost key is replaced,
      not found." actions=${html`<button type="button" class="primary" onClick=${() => setNew(true)}
      >New key</button>`}>
    <div class="filters"><${Choices} label="Keys shown" name="show" value=${isAll ? 'all' : 'valid'}
      initial="valid" choices=${[['valid', 'In force'], ['all', 'Revoked too']]} /></div>
    <${State} of=${keys} empty=${html`<p><b>There are no keys.</b></p>
        <p>Programs and people need one unless the server runs <code>--without-keys</code>.</p>`}>${
      (/** @type {any} */ page) => {
        const rows = page.data.filter((/** @type {ApiKey} */ key) =>
          isAll || key.revoked_at === null);
        return html`${rows.length === 0
          ? html`<div class="empty">Every key on this page is revoked.</div>`
          : html`<${Table} caption="API keys" query=${query} initialSort="name"
            columns=${columnsFor(mine)} rows=${rows}
            rowKey=${(/** @type {ApiKey} */ row) => row.id} />`}
      <p class="pages">${query.after && html`<button type="button"
          onClick=${() => setQuery({ after: null })}>Newest</button>`}
        ${page.has_more && html`<button type="button"
          onClick=${() => setQuery({ after: page.next })}>Older</button>`}</p>`;
      }}<//>
    ${isNew && html`<${NewKey} onClose=${() => setNew(false)} />`}<//>`;
}

/** @param {string | null} mine @returns {Array<Column<ApiKey>>} */
const columnsFor = (mine) => [
  { key: 'name', label: 'Name', sort: (row) => row.name,
    more: (row) => row.id === mine && html` <${Badge} tone="info">this session<//>` },
  { key: 'id', label: 'Id', hide: 'narrow', render: (row) => html`<code>${row.id}</code>` },
  { key: 'tenant', label: 'Tenant', sort: (row) => row.tenant,
    render: (row) => row.tenant ?? html`<span class="muted">all</span>` },
  { key: 'scopes', label: 'Scopes', render: (row) => row.scopes.join(', ') },
  { key: 'created_at', label: 'Made', descending: true, hide: 'narrow',
    sort: (row) => row.created_at, render: (row) => html`<${Time} at=${row.created_at} />` },
  { key: 'revoked_at', label: 'Revoked', descending: true, sort: (row) => row.revoked_at,
    render: (row) => (row.revoked_at ? html`<${Time} at=${row.revoked_at} />`
      : html`<button type="button" class="quiet" aria-label=${`Revoke ${row.name}`}
          onClick=${() => revoke(row, mine)}>Revoke…</button>`) },
];

/** @param {ApiKey} row @param {string | null} mine */
function revoke(row, mine) {
  ask({ title: `Revoke ${row.name}?`, action: 'Revoke it', danger: true,
    body: html`<p>Every server refuses it within a second, and cuts off what it has under way. This
      cannot be taken back.</p>
      ${row.id === mine
        && html`<p><b>It is the key of this session: you will be signed out.</b></p>`}`,
    run: async () => {
      await act('DELETE', `v1/keys/${row.id}`);
      toast(`${row.name} is revoked.`);
    } });
}

/** @param {{onClose: () => void}} props */
function NewKey({ onClose }) {
  const [name, setName] = useState('');
  const [tenant, setTenant] = useState('');
  const [scopes, setScopes] = useState(['submit', 'read']);
  const [error, setError] = useState(/** @type {any} */ (null));
  const [made, setMade] = useState(/** @type {any} */ (null));
  const [isBusy, setBusy] = useState(false);
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setError(null);
    try {
      setMade(await act('POST', 'v1/keys', { name: name.trim(), tenant: tenant.trim() || null,
        scopes }));
    } catch (thrown) {
      setError(thrown);
      setBusy(false);
    }
  };
  if (made) return html`<${Made} made=${made} onClose=${onClose} />`;
  const faultOf = (/** @type {string} */ param) => (error?.param === param ? error.message : null);
  const isElsewhere = error && !['name', 'tenant', 'scopes'].includes(error.param);
  return html`<${Dialog} title="New key" onClose=${onClose}><form onSubmit=${submit}>
    <${Field} label="Name" value=${name} onInput=${setName} required autofocus
      hint="What it is for." error=${faultOf('name')} />
    <${Field} label="Tenant" value=${tenant} onInput=${setTenant} placeholder="all tenants"
      hint="Then it submits for this one, and sees it alone." error=${faultOf('tenant')} />
    <fieldset class="plain"><legend>Scopes</legend>${SCOPES.map(([scope, text]) => html`<${Field}
      key=${scope} type="checkbox" label=${html`<b>${scope}</b> ${text}`}
      value=${scopes.includes(scope)} onInput=${(/** @type {boolean} */ on) => setScopes(on
        ? [...scopes, scope] : scopes.filter((other) => other !== scope))} />`)}
      ${faultOf('scopes') && html`<p class="field-error">${faultOf('scopes')}</p>`}</fieldset>
    <${FormError} error=${isElsewhere ? error : null} />
    <p class="form-end"><button type="submit" class="primary"
      disabled=${isBusy || name.trim() === '' || scopes.length === 0}
      >Make it</button></p></form><//>`;
}

/** @param {{made: {key: string, name: string}, onClose: () => void}} props */
function Made({ made, onClose }) {
  return html`<${Dialog} firm title=${`The key of ${made.name}`} onClose=${onClose}
    footer=${html`<button type="button" class="primary" onClick=${onClose}
      >I have kept it</button>`}>
    <p>It is shown this once. Keep it where secrets are kept.</p>
    <p class="secret"><code>${made.key}</code> <${Copy} text=${made.key} /></p><//>`;
}
