// Copies a text, on plain HTTP too, where browsers have no navigator.clipboard.
import { html, useState } from '../html.js';
import { toast } from './toast.js';

const SAID_MS = 1_500;

/** @param {{text: string | (() => string), label?: string}} props */
export function Copy({ text, label = 'Copy' }) {
  const [isDone, setDone] = useState(false);
  const run = async () => {
    const value = typeof text === 'function' ? text() : text;
    if (!await copyText(value)) {
      toast('The browser did not let the page copy. Select the text instead.', { tone: 'bad' });
      return;
    }
    setDone(true);
    setTimeout(() => setDone(false), SAID_MS);
  };
  return html`<button type="button" class="quiet copy" onClick=${run} aria-live="polite"
    >${isDone ? 'Copied' : label}</button>`;
}

/** @param {string} text @returns {Promise<boolean>} whether it was copied */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

/** @param {string} text */
function copyBySelection(text) {
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'sr';
  // Inside an open dialog, because everything else is inert.
  (document.querySelector('dialog[open]') ?? document.body).append(area);
  const before = document.activeElement;
  area.select();
  let isCopied = false;
  try {
    isCopied = document.execCommand('copy');
  } catch {
    // not allowed: the caller says so
  }
  area.remove();
  if (before instanceof HTMLElement) before.focus();
  return isCopied;
}
