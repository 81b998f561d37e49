// The page's URL: which screen, and its filters. Everything is relative to the page's base, so it
// works below any path of a proxy.
import { makeStore, useStore } from './html.js';

/** Where the console lies, such as "/console/". Written down absolutely at once: the relative base
 * was right for the first URL only. */
export const base = new URL(document.baseURI).pathname;
const baseElement = document.querySelector('base');
if (baseElement) baseElement.href = base;

/** @returns {Place} */
function here() {
  const path = location.pathname.startsWith(base) ? location.pathname.slice(base.length) : '';
  return {
    path: path.replace(/\/+$/, ''),
    query: Object.fromEntries(new URLSearchParams(location.search)),
  };
}

/** @type {Store<Place>} */
const place = makeStore(here());
/** Asked before a screen is left: the reason why one should stay, or null.
 * @type {(() => string | null) | null} */
let guard = null;
let shownUrl = location.href;

export const usePlace = () => useStore(place);
export const currentPlace = () => place.get();

/** The URL of a screen. Parts of the path are encoded here; empty values of the query are left out.
 * @param {string | Array<string>} path "tasks", or ["models", name]
 * @param {Query} [query] */
export function link(path, query = {}) {
  const parts = typeof path === 'string' ? [path] : path.map(encodePart);
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== '') search.set(key, String(value));
  }
  const text = search.toString();
  return base + parts.join('/') + (text ? '?' + text : '');
}

/** A name as one part of a path. None can be "." or "..": browsers take these, and %2E%2E as well,
 * for directories.
 * @param {string} part */
export const encodePart = (part) => encodeURIComponent(part);

/** @param {string} url one of link()'s
 * @param {{replace?: boolean}} [options] */
export function go(url, { replace = false } = {}) {
  if (!mayLeave(url)) return;
  noteScroll();
  if (replace) history.replaceState(history.state, '', url);
  else history.pushState(null, '', url);
  arrive();
  if (!replace) scrollTo(0, 0);
}

/** Changes some of this screen's filters; null takes one away.
 * @param {Query} changes
 * @param {{replace?: boolean}} [options] replace: for what changes with each key */
export function setQuery(changes, options) {
  const { path, query } = here();
  go(link(path, { ...query, ...changes }), options);
}

/** While the screen has unsaved changes: says what would be lost.
 * @param {(() => string | null) | null} ask */
export function guardChanges(ask) {
  guard = ask;
}

/** Whether both URLs show the same form: filters do not matter.
 * @param {string} a
 * @param {string} b */
function isSameView(a, b) {
  const [left, right] = [new URL(a, location.href), new URL(b, location.href)];
  return left.pathname === right.pathname
    && left.searchParams.get('view') === right.searchParams.get('view');
}

/** @param {string} url */
function mayLeave(url) {
  const reason = isSameView(url, shownUrl) ? null : guard?.();
  return !reason || confirm(`${reason} Leave without saving?`);
}

function arrive() {
  if (!isSameView(shownUrl, location.href)) guard = null;
  shownUrl = location.href;
  place.set(here());
}

addEventListener('popstate', () => {
  if (!mayLeave(location.href)) {
    history.pushState(null, '', shownUrl);
    return;
  }
  arrive();
  scrollBack();
});

// Where the reader was: the browser would go there before the data has come, and land at the top.
const SCROLL_REST_MS = 150;
const SCROLL_BACK_MS = 2_000;
const SCROLL_LOOK_MS = 30;
let scrollTimer = 0;
/** When it is no longer tried to scroll back. */
let scrollUntil = 0;
history.scrollRestoration = 'manual';

/** Keeps how far this entry of the history is scrolled. */
function noteScroll() {
  clearTimeout(scrollTimer);
  if (scrollUntil === 0) history.replaceState({ scrolled: scrollY }, '');
}

/** To where this entry of the history was scrolled, as soon as the page is long enough. */
function scrollBack() {
  clearTimeout(scrollTimer);
  const wanted = history.state?.scrolled ?? 0;
  scrollUntil = performance.now() + SCROLL_BACK_MS;
  const look = () => {
    if (scrollUntil === 0) return;
    scrollTo(0, wanted);
    if (performance.now() < scrollUntil && Math.abs(scrollY - wanted) > 1) {
      setTimeout(look, SCROLL_LOOK_MS);
    } else {
      scrollUntil = 0;
    }
  };
  look();
}

addEventListener('scroll', () => {
  clearTimeout(scrollTimer);
  scrollTimer = setTimeout(noteScroll, SCROLL_REST_MS);
});
for (const event of ['wheel', 'touchmove', 'keydown']) {
  addEventListener(event, () => { scrollUntil = 0; }, { passive: true });
}
scrollBack();

addEventListener('beforeunload', (event) => {
  if (guard?.()) event.preventDefault();
});

// Plain links, without a new page: a click with a modifier stays the browser's.
document.addEventListener('click', (event) => {
  if (event.defaultPrevented || event.button !== 0
    || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const anchor = event.target instanceof Element ? event.target.closest('a') : null;
  if (!anchor || anchor.target || anchor.hasAttribute('download')) return;
  const url = new URL(anchor.href, document.baseURI);
  if (url.origin !== location.origin || !url.pathname.startsWith(base) || url.hash) return;
  if (/^(v1|session)(\/|$)/.test(url.pathname.slice(base.length))) return;
  event.preventDefault();
  go(url.pathname + url.search);
});

/** The screen for a path, and its named parts; null when there is none.
 * @param {Array<ScreenEntry>} screens
 * @param {string} path
 * @returns {{screen: ScreenEntry, params: Record<string, string>} | null} */
export function match(screens, path) {
  const parts = path.split('/');
  for (const screen of screens) {
    const wanted = screen.path.split('/');
    if (wanted.length !== parts.length) continue;
    /** @type {Record<string, string>} */
    const params = {};
    const fits = wanted.every((part, index) => {
      if (!part.startsWith(':')) return part === parts[index];
      params[part.slice(1)] = decodePart(parts[index]);
      return parts[index] !== '';
    });
    if (fits) return { screen, params };
  }
  return null;
}

/** @param {string} part */
function decodePart(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;  // a stray "%", typed by hand
  }
}
