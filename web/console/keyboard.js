// The console by keyboard alone: "/" searches, "g" and a letter goes, j and k walk through rows.
import { makeStore, useEffect } from './html.js';
import { go, link } from './router.js';
import { moveRow } from './components/index.js';
import { NAV } from './screens/index.js';

/** How long "g" waits for its letter. */
const SEQUENCE_MS = 1_500;

export const helpShown = makeStore(false);

/** @param {Element | null} element */
function isTyping(element) {
  return element instanceof HTMLElement && (element.isContentEditable
    || element.matches('textarea, select, input:not([type=checkbox], [type=radio], [type=range])'));
}

/** Listens while the frame is shown. @param {(entry: NavEntry) => boolean} mayGo */
export function useShortcuts(mayGo) {
  useEffect(() => {
    let gAt = -SEQUENCE_MS;
    const onKey = (/** @type {KeyboardEvent} */ event) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (document.querySelector('dialog[open]')) return;
      if (isTyping(document.activeElement)) {
        if (event.key === 'Escape') /** @type {HTMLElement} */ (document.activeElement).blur();
        return;
      }
      const isAfterG = event.timeStamp - gAt < SEQUENCE_MS;
      gAt = -SEQUENCE_MS;
      if (isAfterG) {
        const entry = NAV.find((one) => one.key === event.key);
        if (!entry || !mayGo(entry)) return;
        event.preventDefault();
        go(link(entry.path));
      } else if (event.key === 'g') {
        gAt = event.timeStamp;
      } else {
        press(event);
      }
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [mayGo]);
}

/** @param {KeyboardEvent} event */
function press(event) {
  if (event.key === '/') {
    const search = document.querySelector('#search');
    if (search instanceof HTMLInputElement) {
      search.focus();
      search.select();
    }
  } else if (event.key === 'j') {
    moveRow(1);
  } else if (event.key === 'k') {
    moveRow(-1);
  } else if (event.key === '?') {
    helpShown.set(true);
  } else {
    return;
  }
  event.preventDefault();
}
