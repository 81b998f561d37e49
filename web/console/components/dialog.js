// Dialogs: the browser's own, which keeps the focus inside and everything else out of reach.
import { html, makeStore, useId, useLayoutEffect, useRef, useState, useStore } from '../html.js';
import { FormError } from './state.js';

/** Shown while it is rendered. Escape, or a click outside, calls onClose.
 * @param {{title: string, onClose: () => void, children?: any, footer?: any,
 *   wide?: boolean, firm?: boolean}} props firm: only its footer closes it */
export function Dialog({ title, onClose, children, footer, wide = false, firm = false }) {
  const element = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const titleId = useId();
  useLayoutEffect(() => {
    const dialog = element.current;
    const before = document.activeElement;
    dialog?.showModal();
    focusFirst(dialog);
    return () => {
      dialog?.close();
      // Not if something else has taken it meanwhile.
      const now = document.activeElement;
      if (now !== null && now !== document.body && !dialog?.contains(now)) return;
      // What opened it may be gone: "Pause" has become "Resume".
      const back = before?.isConnected ? before : document.querySelector('#main');
      if (back instanceof HTMLElement) back.focus({ preventScroll: true });
    };
  }, []);
  return html`<dialog ref=${element} class=${wide ? 'wide' : undefined} aria-labelledby=${titleId}
    onCancel=${(/** @type {Event} */ event) => {
      event.preventDefault();
      if (!firm) onClose();
    }}
    onKeyDown=${(/** @type {KeyboardEvent} */ event) => {
      // Pressed twice, Escape closes a dialog whatever its cancel event is told.
      if (firm && event.key === 'Escape') event.preventDefault();
    }}
    onMouseDown=${(/** @type {MouseEvent} */ event) => {
      if (!firm && event.target === element.current) onClose();
    }}>
    <div class="dialog-box">
      <header><h2 id=${titleId}>${title}</h2>
        ${!firm && html`<button type="button" class="quiet icon" aria-label="Close"
          onClick=${onClose}>×</button>`}
      </header>
      <div class="dialog-body">${children}</div>
      ${footer && html`<footer>${footer}</footer>`}
    </div></dialog>`;
}

/** The browser would choose the button that closes it.
 * @param {HTMLDialogElement | null} dialog */
function focusFirst(dialog) {
  const first = dialog?.querySelector('.dialog-body :is(input, select, textarea)')
    ?? dialog?.querySelector('footer .primary:not(:disabled)')
    ?? dialog?.querySelector('footer button');
  if (first instanceof HTMLElement) first.focus();
}

/** A question before something is done. run does it; what it throws is shown, and the dialog stays.
 * @param {{title: string, children?: any, action: string, danger?: boolean, disabled?: boolean,
 *   run: () => any, onClose: (done: boolean) => void}} props */
export function Confirm({ title, children, action, danger = false, disabled = false, run,
  onClose }) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState(/** @type {any} */ (null));
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await run();
      onClose(true);
    } catch (thrown) {
      setError(thrown);
      setBusy(false);
    }
  };
  const formId = useId();
  return html`<${Dialog} title=${title} onClose=${() => onClose(false)} footer=${html`
      <button type="button" onClick=${() => onClose(false)}>Cancel</button>
      <button type="submit" form=${formId} class=${danger ? 'danger' : 'primary'}
        disabled=${isBusy || disabled}>${isBusy ? 'Working…' : action}</button>`}>
    <form id=${formId} onSubmit=${submit}>${children}<${FormError} error=${error} /></form>
  <//>`;
}

/** @typedef {{title: string, body?: any, action: string, danger?: boolean, run: () => any,
 *   answer: (done: boolean) => void}} Question */
/** @type {Store<Question | null>} */
const question = makeStore(/** @type {Question | null} */ (null));

/** Confirm from anywhere: `await ask({title, body, action, danger, run})`.
 * @param {Omit<Question, 'answer'>} what
 * @returns {Promise<boolean>} whether it was done */
export function ask(what) {
  question.get()?.answer(false);
  return new Promise((resolve) => {
    question.set({ ...what, answer: resolve });
  });
}

/** Once, in the frame: where ask() is shown. */
export function Questions() {
  const current = useStore(question);
  if (!current) return null;
  return html`<${Confirm} key=${current} title=${current.title} action=${current.action}
    danger=${current.danger} run=${current.run} onClose=${(/** @type {boolean} */ done) => {
      question.set(null);
      current.answer(done);
    }}>${current.body}<//>`;
}
