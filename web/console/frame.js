// The frame around every screen: navigation, search, who is signed in, whether the data is live.
import { Component, classes, html, useCallback, useEffect, useLayoutEffect, useMemo, useRef,
  useState, useStore }
  from './html.js';
import { Dialog, Loading, Problem, useClock } from './components/index.js';
import { helpShown, useShortcuts } from './keyboard.js';
import { retryLive, useLive } from './live.js';
import { go, link, match, usePlace } from './router.js';
import { NAV, SCREENS } from './screens/index.js';
import { can, isBound, isOtherVersion, signOut } from './session.js';

/** @param {{session: Session}} props */
export function Frame({ session }) {
  const place = usePlace();
  const mayGo = useCallback((/** @type {{scope: any, all?: boolean}} */ entry) =>
    can(session, entry.scope) && !(entry.all && isBound(session)), [session]);
  useShortcuts(mayGo);
  const home = NAV.find(mayGo) ?? { path: 'submit' };
  const path = place.path || home.path;
  const found = useMemo(() => match(SCREENS, path), [path]);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(false), [place]);
  useFocusOnArrival(path);

  return html`<div class="frame">
    <button type="button" class="skip" onClick=${focusMain}>To the content</button>
    <header class="side"><div class="side-head">
        <a class="brand" href=${link('')}>Sluice</a>
        <button type="button" class="menu-button" aria-expanded=${isOpen ? 'true' : 'false'}
          aria-controls="menu" onClick=${() => setOpen(!isOpen)}>Menu</button></div>
      <div id="menu" class=${classes('side-body', isOpen && 'open')}>
        <${Search} isBound=${isBound(session)} />
        <${Navigation} current=${found?.screen.nav ?? path} mayGo=${mayGo} session=${session} />
        <${Who} session=${session} />
      </div></header>
    <div class="content">
      <${Connection} session=${session} />
      <main id="main" tabindex="-1">${!found
        ? html`<div class="page"><h1>No such screen</h1>
            <p>There is nothing at this address. <a
              href=${link(home.path)}>To ${home.path}</a></p></div>`
        : !mayGo({ scope: found.screen.scope ?? 'read', all: found.screen.all })
          ? html`<${Refused} screen=${found.screen} session=${session} />`
          : html`<${Shown} key=${found.screen.path} screen=${found.screen} params=${found.params}
              query=${place.query} session=${session} />`}</main>
    </div><${Help} /></div>`;
}

function focusMain() {
  const main = document.querySelector('#main');
  if (main instanceof HTMLElement) main.focus({ preventScroll: true });
}

/** A new screen is read out from its heading. @param {string} path */
function useFocusOnArrival(path) {
  const isFirst = useRef(true);
  useLayoutEffect(() => {
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    focusMain();
  }, [path]);
}

/** One screen: loads its module first. @param {ScreenProps & {screen: ScreenEntry}} props */
function Shown({ screen, params, query, session }) {
  const [module, setModule] = useState(/** @type {any} */ (null));
  const [error, setError] = useState(/** @type {any} */ (null));
  useEffect(() => {
    let isWanted = true;
    screen.load().then((loaded) => { if (isWanted) setModule(loaded); },
      (thrown) => { if (isWanted) setError(thrown); });
    return () => { isWanted = false; };
  }, [screen]);
  if (error) {
    return html`<div class="page"><h1>${screen.title}</h1><${Problem} error=${new Error(
      `This screen could not be loaded (${error.message}). The server may be away, or have been `
      + 'replaced by another version.')} onRetry=${() => location.reload()} /></div>`;
  }
  if (!module) {
    return html`<div class="page"><h1>${screen.title}</h1><${Loading} /></div>`;
  }
  return html`<${Boundary} title=${screen.title}><${module.default} params=${params} query=${query}
    session=${session} /><//>`;
}

/** Shows an error of a screen in its place; the frame goes on. */
class Boundary extends Component {
  /** @param {any} error */
  static getDerivedStateFromError(error) {
    return { error };
  }
  /** @param {any} error */
  componentDidCatch(error) {
    console.error(error);
  }
  render() {
    const { error } = /** @type {any} */ (this.state);
    const { title, children } = /** @type {any} */ (this.props);
    return error ? html`<div class="page"><h1>${title}</h1><${Problem} error=${error}
      onRetry=${() => this.setState({ error: null })} /></div>` : children;
  }
}

/** @param {{screen: ScreenEntry, session: Session}} props */
function Refused({ screen, session }) {
  return html`<div class="page"><h1>${screen.title}</h1><div class="empty">
    <p><b>This key may not see this.</b></p><p>${screen.all && isBound(session)
      ? `It is bound to tenant ${session.tenant}, and this concerns all tenants.`
      : `It needs the scope ${screen.scope}; the key has ${session.scopes.join(', ')}.`}</p>
  </div></div>`;
}

/** @param {{current: string, session: Session, mayGo: (entry: any) => boolean}} props */
function Navigation({ current, mayGo, session }) {
  const shown = NAV.filter(mayGo);
  const groups = [0, 1].map((group) => shown.filter((entry) => entry.group === group));
  return html`<nav aria-label="Screens">
    ${can(session, 'submit') && html`<a class=${classes('button', 'nav-submit')}
      href=${link('submit')}
        aria-current=${current === 'submit' ? 'page' : undefined}>Submit a task</a>`}
    ${groups.map((entries, index) => entries.length > 0 && html`<ul key=${index}>${entries.map(
      (entry) => html`<li key=${entry.path}><a href=${link(entry.path)}
        aria-current=${current === entry.path ? 'page' : undefined}>${entry.title}
        ${entry.key && html`<kbd
          aria-hidden="true">g ${entry.key}</kbd>`}</a></li>`)}</ul>`)}</nav>`;
}

/** A task by its id, else models by name. @param {{isBound: boolean}} props */
function Search({ isBound: isTenants }) {
  const [text, setText] = useState('');
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    const wanted = text.trim();
    if (wanted === '') return;
    setText('');
    if (/^\d+$/.test(wanted)) go(link(['tasks', wanted]));
    else if (/^(msg)?batch_\d+$/.test(wanted)) go(link(['batches', wanted]));
    else if (isTenants) go(link('tasks', { text: wanted }));
    else go(link('models', { q: wanted }));
  };
  const hint = isTenants ? 'Task id or text' : 'Task id or model';
  return html`<form class="search" role="search" aria-label="Find" onSubmit=${submit}>
    <input id="search" type="search" aria-label=${hint} placeholder=${`${hint}  /`} value=${text}
      autocomplete="off" spellcheck=${false}
      onInput=${(/** @type {any} */ event) => setText(event.target.value)} /></form>`;
}

/** @param {{session: Session}} props */
function Who({ session }) {
  return html`<div class="who">
    ${session.without_keys
      ? html`<p title="sluice serve --without-keys">Without keys: everybody on this machine</p>`
      : html`<p><b>${session.name}</b><br /><span class="muted">${session.tenant
          ? `tenant ${session.tenant}, ` : ''}${session.scopes.join(', ')}</span></p>`}
    <div class="who-actions"><${Theme} />
      <button type="button" class="quiet"
        onClick=${() => helpShown.set(true)}>Shortcuts <kbd>?</kbd></button>
      ${!session.without_keys && html`<button type="button" class="quiet"
        onClick=${() => { signOut().catch(() => location.reload()); }}>Sign out</button>`}</div>
    <p class="muted version">sluice ${session.version}</p></div>`;
}

function Theme() {
  const [theme, setTheme] = useState(localStorage.getItem('sluice.theme') ?? 'auto');
  const change = (/** @type {any} */ event) => {
    const next = event.target.value;
    setTheme(next);
    localStorage.setItem('sluice.theme', next);
    if (next === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
  };
  return html`<select class="quiet" aria-label="Theme" value=${theme} onChange=${change}>
    ${[['auto', 'Auto'], ['light', 'Light'], ['dark', 'Dark']].map(([name, text]) =>
      html`<option key=${name} value=${name}
        selected=${name === theme}>${text}</option>`)}</select>`;
}

/** A banner while the stream is away, or what it told is old, and when the server is another
 * version. A single failure of the stream is none yet. @param {{session: Session}} props */
function Connection({ session }) {
  const live = useLive();
  const isLost = live.status === 'lost';
  useClock(isLost ? 1_000 : 0);
  const isLong = isLost && Date.now() - live.since > 1_500;
  const wait = Math.max(0, Math.ceil((live.retryAt - Date.now()) / 1000));
  return html`<div class="banners" role="status">
    ${isLong && html`<div class="banner banner-warn"><span>Not connected: what is shown may be old.
      ${wait > 0 ? ` Next try in ${wait} s.` : ' Trying…'}</span>
      <button type="button" class="quiet" onClick=${retryLive}>Now</button></div>`}
    ${!isLong && live.fault !== null && html`<div class="banner banner-warn"><span>What is shown is
      ${' '}old: ${live.fault}</span></div>`}
    ${isOtherVersion(session) && html`<div class="banner"><span>The server is now sluice
      ${' '}${session.version}.</span>
      <button type="button" class="quiet"
        onClick=${() => location.reload()}>Reload the page</button>
      </div>`}</div>`;
}

function Help() {
  const isShown = useStore(helpShown);
  if (!isShown) return null;
  const rows = [['/', 'find a task or a model'], ['j  k', 'next row, row before'],
    ['Enter', 'open the row'], ['Esc', 'leave a field or a dialog'],
    ...NAV.filter((entry) => entry.key).map((entry) =>
      [`g ${entry.key}`, entry.title.replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase())]),
    ['?', 'this list']];
  return html`<${Dialog} title="Keyboard shortcuts" onClose=${() => helpShown.set(false)}>
    <dl class="keys">${rows.map(([key, text]) => html`<div key=${key}><dt><kbd>${key}</kbd></dt>
      <dd>${text}</dd></div>`)}</dl><//>`;
}
