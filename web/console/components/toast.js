// Short messages about what was done, read out by screen readers.
import { html, makeStore, useStore } from '../html.js';

const SHOWN_MS = 6_000;
const TOASTS_MAX = 4;

/** @typedef {{id: number, text: string, tone: string,
 *   action?: {label: string, run: () => void}}} Shown */
/** @type {Store<Array<Shown>>} */
const shown = makeStore(/** @type {Array<Shown>} */ ([]));
let nextId = 1;

/** @param {string} text
 * @param {{tone?: 'ok' | 'bad', action?: {label: string, run: () => void}}} [options] */
export function toast(text, { tone = 'ok', action } = {}) {
  const id = nextId;
  nextId += 1;
  shown.set([...shown.get(), { id, text, tone, action }].slice(-TOASTS_MAX));
  // With something to press it stays until it is pressed or closed.
  if (!action) setTimeout(() => dismiss(id), SHOWN_MS);
}

/** @param {number} id */
const dismiss = (id) => shown.set(shown.get().filter((one) => one.id !== id));

/** Once, in the frame. */
export function Toasts() {
  const toasts = useStore(shown);
  return html`<div class="toasts" role="status" aria-live="polite">${toasts.map((one) =>
    html`<div class=${`toast toast-${one.tone}`} key=${one.id}><span>${one.text}</span>
      ${one.action && html`<button type="button" class="quiet" onClick=${() => {
        dismiss(one.id);
        one.action?.run();
      }}>${one.action.label}</button>`}
      <button type="button" class="quiet icon" aria-label="Close" onClick=${() => dismiss(one.id)}
        >×</button></div>`)}</div>`;
}
