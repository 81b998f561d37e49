// What every component imports of Preact and htm. The only module besides plot.js that names a
// vendor file.
import { Component, Fragment, h, render } from './vendor/preact.js';
import { useCallback, useEffect, useId, useLayoutEffect, useMemo, useRef, useState }
  from './vendor/hooks.js';
import htm from './vendor/htm.js';

/** A template of elements: html`<p class="x">${text}</p>`. Text is text: nothing is parsed. */
export const html = htm.bind(h);

export { Component, Fragment, render };
export { useCallback, useEffect, useId, useLayoutEffect, useMemo, useRef, useState };

/** The class names whose condition holds: classes('row', open && 'open').
 * @param {...(string | false | null | undefined)} names */
export function classes(...names) {
  return names.filter(Boolean).join(' ') || undefined;
}

/** Renders its component again when the store says so.
 * @template T
 * @param {Store<T>} store
 * @returns {T} */
export function useStore(store) {
  const [value, set] = useState(store.get());
  useEffect(() => {
    set(() => store.get());
    return store.listen(() => set(() => store.get()));
  }, [store]);
  return value;
}

/** A value with listeners.
 * @template T
 * @param {T} initial
 * @returns {Store<T>} */
export function makeStore(initial) {
  let value = initial;
  /** @type {Set<() => void>} */
  const listeners = new Set();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of [...listeners]) listener();
    },
    listen(listener) {
      listeners.add(listener);
      return () => { listeners.delete(listener); };
    },
  };
}
