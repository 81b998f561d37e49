// Requests to the server, and data that stays fresh. 64-bit ids never become JavaScript numbers.
import { makeStore, useCallback, useEffect, useRef, useState } from './html.js';
import { base } from './router.js';
import { onLive } from './live.js';

const RETRY_FIRST_MS = 1_000;
const RETRY_MAX_MS = 30_000;
/** Integers of that many digits may exceed 2^53. */
const LONG_INTEGER_DIGITS = 16;

/** What the server, or the way to it, said. */
export class ApiError extends Error {
  /** @param {number} status 0: there was no answer
   * @param {Partial<ApiFault>} fault */
  constructor(status, fault) {
    super(fault.message || `HTTP ${status}`);
    this.name = 'ApiError';
    this.status = status;
    this.type = fault.type ?? (status ? `http_${status}` : 'unreachable');
    this.code = fault.code ?? null;
    this.hint = fault.hint ?? null;
    this.param = fault.param ?? null;
    this.body = fault;
  }
}

/** How often somebody signed out under us, or changed something: screens load anew. */
export const signedOut = makeStore(0);
const changed = makeStore(0);
/** When the server last answered, in ms; 0: never. */
export const lastAnswer = makeStore(0);

/** @param {string} path relative to the base: "v1/overview" */
export const urlOf = (path) => base + path.replace(/^\//, '');

/** One request. Errors are ApiError.
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body] sent as JSON; a Blob or FormData as it is
 * @param {{signal?: AbortSignal, headers?: Record<string, string>}} [options]
 * @returns {Promise<any>} */
export async function request(method, path, body, { signal, headers = {} } = {}) {
  const isPlain = body instanceof Blob || body instanceof FormData;
  let response;
  let text;
  try {
    response = await fetch(urlOf(path), {
      method,
      signal,
      credentials: 'same-origin',
      cache: 'no-store',
      headers: body === undefined || isPlain ? headers
        : { 'Content-Type': 'application/json', ...headers },
      body: body === undefined ? (method === 'GET' ? undefined : '')
        : isPlain ? /** @type {any} */ (body) : toJson(body),
    });
    text = await response.text();
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(0, { message: 'The server does not answer.' });
  }
  lastAnswer.set(Date.now());
  if (response.headers.get('Sluice-Session') === 'renew') renewSession();
  if (response.status === 401 && path !== 'session') signedOut.set(signedOut.get() + 1);
  const type = response.headers.get('Content-Type') ?? '';
  let value;
  try {
    value = text === '' ? null : type.includes('json') ? fromJson(text) : text;
  } catch {
    throw new ApiError(response.status, { message: 'The answer is not JSON.' });
  }
  if (response.ok) return value;
  throw new ApiError(response.status, value?.error ?? { message: shortText(text) });
}

let isRenewing = false;
/** The cookie grows old: who asks for the session gets a new one. */
async function renewSession() {
  if (isRenewing) return;
  isRenewing = true;
  try {
    await fetch(urlOf('session'), { credentials: 'same-origin', cache: 'no-store' });
  } catch {
    // the next answer asks for it again
  } finally {
    isRenewing = false;
  }
}

/** @param {string} text */
const shortText = (text) => (text.startsWith('<') ? '' : text.slice(0, 300));

/** Something has changed that was not asked for just now: what the page shows is loaded anew. */
export const loadAnew = () => changed.set(changed.get() + 1);

/** A change. All that is on the page is loaded anew afterwards.
 * @param {'POST' | 'PUT' | 'PATCH' | 'DELETE'} method
 * @param {string} path
 * @param {unknown} [body]
 * @param {{headers?: Record<string, string>}} [options] */
export async function act(method, path, body, options) {
  const value = await request(method, path, body, options);
  loadAnew();
  return value;
}

/** JSON whose long integers and ids are strings: `{"id": 7}` gives `"7"`.
 * @param {string} text
 * @returns {any} */
export function fromJson(text) {
  return JSON.parse(/\d{16}/.test(text) ? quoteLongIntegers(text) : text, (key, value) => {
    if (typeof value === 'number' && (key === 'id' || key.endsWith('_id'))) return String(value);
    if (key === 'ids' && Array.isArray(value)) return value.map(String);
    return value;
  });
}

/** Puts long integers outside of strings into quotes. One pass, whatever the length.
 * @param {string} text */
function quoteLongIntegers(text) {
  const pieces = [];
  let from = 0;
  while (from < text.length) {
    const quote = text.indexOf('"', from);
    const outside = quote < 0 ? text.slice(from) : text.slice(from, quote);
    pieces.push(outside.replace(/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (number) =>
      (/^-?\d+$/.test(number) && number.length >= LONG_INTEGER_DIGITS ? `"${number}"` : number)));
    if (quote < 0) break;
    from = endOfString(text, quote);
    pieces.push(text.slice(quote, from));
  }
  return pieces.join('');
}

/** Where the string that begins at quote is over. @param {string} text @param {number} quote */
function endOfString(text, quote) {
  let end = quote;
  for (;;) {
    end = text.indexOf('"', end + 1);
    if (end < 0) return text.length;
    let before = end - 1;
    while (text[before] === '\\') before -= 1;
    if ((end - before) % 2 === 1) return end + 1;
  }
}

/** JSON in which a BigInt is an integer with all its digits. @param {unknown} value */
function toJson(value) {
  /** @type {Array<string>} */
  const integers = [];
  const mark = `integer ${crypto.getRandomValues(new Uint32Array(4)).join('.')} `;
  const text = JSON.stringify(value, (_key, part) =>
    (typeof part === 'bigint' ? mark + (integers.push(String(part)) - 1) : part));
  return integers.length === 0 ? text
    : text.replace(new RegExp(`"${mark}(\\d+)"`, 'g'), (_all, index) => integers[Number(index)]);
}

/** Data of one path, kept fresh while the page is seen. Old data stays while new is on its way.
 * @template T
 * @param {string | null} path null: nothing is asked yet
 * @param {UseApiOptions<T>} [options]
 * @returns {Loaded<T>} */
export function useApi(path, { interval = 0, live, merge } = {}) {
  const [state, setState] = useState(/** @type {LoadedState<T>} */ (
    { path: null, data: null, error: null, loading: true, at: 0 }));
  /** @type {{current: (() => void)}} */
  const load = useRef(() => {});
  const reload = useCallback(() => load.current(), []);
  const merger = useRef(merge);
  merger.current = merge;

  useEffect(() => {
    if (path === null) return undefined;
    const loader = makeLoader(path, interval, setState);
    load.current = loader.load;
    const stops = [
      loader.stop,
      changed.listen(loader.load),
      onLive('reopened', loader.load),
      ...(live ? [onLive(live, (payload) => {
        const { current } = merger;
        if (!current) loader.hear();
        else setState((old) => (old.data === null ? old
          : { ...old, data: current(old.data, payload), at: Date.now() }));
      })] : []),
    ];
    loader.load();
    return () => stops.forEach((stop) => stop());
  }, [path, interval, live]);

  const isOther = state.path !== path;
  return {
    data: state.data,
    error: isOther ? null : state.error,
    loading: path !== null && (state.loading || isOther),
    // shown, but of another path or from before an error
    stale: state.data !== null && (isOther || state.error !== null),
    at: state.at,
    reload,
  };
}

/** Loads one path: once, then every interval, after errors at growing intervals; never while the
 * page is hidden.
 * @param {string} path
 * @param {number} interval in ms; 0: once
 * @param {(change: (old: any) => any) => void} setState */
function makeLoader(path, interval, setState) {
  /** @type {AbortController | null} */
  let controller = null;
  let timer = 0;
  let failures = 0;
  let isMissed = false;
  let isHeard = false;

  /** @param {number} wait */
  const later = (wait) => {
    clearTimeout(timer);
    timer = setTimeout(load, wait);
  };
  async function load() {
    if (document.hidden && lastAnswer.get() > 0) {
      isMissed = true;
      return;
    }
    clearTimeout(timer);
    controller?.abort();
    const mine = new AbortController();
    controller = mine;
    isHeard = false;
    setState((old) => ({ ...old, loading: true }));
    try {
      const data = await request('GET', path, undefined, { signal: mine.signal });
      if (mine !== controller) return;
      controller = null;
      failures = 0;
      setState(() => ({ path, data, error: null, loading: false, at: Date.now() }));
      if (isHeard) load();
      else if (interval > 0) later(interval);
    } catch (error) {
      if (mine.signal.aborted || mine !== controller) return;
      controller = null;
      failures += 1;
      // Data of another path says nothing about this one.
      setState((old) => ({ path, data: old.path === path ? old.data : null, error,
        loading: false, at: old.at }));
      if (isPassing(error)) later(Math.min(RETRY_FIRST_MS * 2 ** (failures - 1), RETRY_MAX_MS));
    }
  }
  const onVisible = () => {
    if (!document.hidden && isMissed) {
      isMissed = false;
      load();
    }
  };
  document.addEventListener('visibilitychange', onVisible);
  return {
    load: () => { load(); },
    // Something is new. What is under way goes on: else a slow answer would never come.
    hear() {
      if (controller) isHeard = true;
      else load();
    },
    stop() {
      clearTimeout(timer);
      controller?.abort();
      controller = null;
      document.removeEventListener('visibilitychange', onVisible);
    },
  };
}

/** Whether the same request may succeed later. @param {unknown} error */
export function isPassing(error) {
  return error instanceof ApiError && (error.status === 0 || error.status >= 500
    || error.status === 429);
}
