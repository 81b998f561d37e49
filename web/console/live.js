// The one stream of server-sent events of a page: closed while the page is hidden, reopened after,
// and with growing pauses when the server is away.
import { makeStore, useStore } from './html.js';
import { base } from './router.js';

const RECONNECT_FIRST_MS = 1_000;
const RECONNECT_MAX_MS = 30_000;
/** The server sends a comment each 15 s, which no script sees; its overview may rest for longer. */
const EVENTS = ['overview', 'jobs', 'ping', 'unavailable'];

/** @type {Store<LiveState>} */
const state = makeStore(/** @type {LiveState} */ ({ status: 'off', since: 0, retryAt: 0,
  fault: null }));
/** @type {Map<string, Set<(payload: any) => void>>} */
const listeners = new Map();
/** @type {EventSource | null} */
let source = null;
let timer = 0;
let failures = 0;
let isWanted = false;
/** @type {(text: string) => any} */
let parse = JSON.parse;

export const useLive = () => useStore(state);

/** @param {string} event one of the server's, or "reopened" and "lost"
 * @param {(payload: any) => void} listener
 * @returns {() => void} ends it */
export function onLive(event, listener) {
  const of = listeners.get(event) ?? new Set();
  listeners.set(event, of.add(listener));
  return () => { of.delete(listener); };
}

/** @param {string} event @param {any} [payload] */
function tell(event, payload) {
  for (const listener of [...(listeners.get(event) ?? [])]) listener(payload);
}

/** Begins; from then on the stream follows the page's visibility.
 * @param {(text: string) => any} parser keeps long integers */
export function startLive(parser) {
  parse = parser;
  isWanted = true;
  open();
}

export function stopLive() {
  isWanted = false;
  close();
  failures = 0;
  state.set({ status: 'off', since: Date.now(), retryAt: 0, fault: null });
}

/** At once, without waiting for the pause to end. */
export function retryLive() {
  if (isWanted) open();
}

function close() {
  clearTimeout(timer);
  source?.close();
  source = null;
}

function open() {
  close();
  if (!isWanted || document.hidden) return;
  const mine = new EventSource(`${base}v1/live`);
  source = mine;
  mine.onopen = () => {
    const wasLost = failures > 0;
    failures = 0;
    state.set({ status: 'open', since: Date.now(), retryAt: 0, fault: null });
    if (wasLost) tell('reopened');
  };
  for (const event of EVENTS) {
    mine.addEventListener(event, (message) => {
      try {
        tell(event, parse(message.data));
      } catch (error) {
        console.error('live:', event, error);
      }
    });
  }
  mine.onerror = () => {
    if (mine !== source) return;
    close();
    failures += 1;
    const pause = Math.min(RECONNECT_FIRST_MS * 2 ** (failures - 1), RECONNECT_MAX_MS)
      * (0.75 + Math.random() / 2);
    const { status, since, fault } = state.get();
    state.set({ fault, status: 'lost', since: status === 'lost' ? since : Date.now(),
      retryAt: Date.now() + pause });
    timer = setTimeout(open, pause);
    tell('lost');
  };
}

/** @param {string | null} fault */
function setFault(fault) {
  if (state.get().fault !== fault) state.set({ ...state.get(), fault });
}
onLive('unavailable', ({ error }) => setFault(error.message));
onLive('overview', () => setFault(null));

document.addEventListener('visibilitychange', () => {
  if (!isWanted) return;
  if (document.hidden) {
    close();
    state.set({ ...state.get(), status: state.get().status === 'lost' ? 'lost' : 'hidden' });
  } else {
    // What changed meanwhile was not sent: whatever is shown is loaded anew.
    failures = Math.max(failures, 1);
    open();
  }
});
addEventListener('online', retryLive);
