// What can be done to a model: pause, resume, close.
import { html, useState } from '../../html.js';
import { act } from '../../api.js';
import { encodePart } from '../../router.js';
import { Confirm, Field, ask, toast } from '../../components/index.js';
import { fromLocalInput } from '../../components/forms.js';

/** @param {string} name */
const pathOf = (name) => `v1/models/${encodePart(name)}`;

/** Buttons of one model.
 * @param {{row: Pick<Overview, 'model' | 'state' | 'paused'>, quiet?: boolean}} props */
export function ModelActions({ row, quiet = false }) {
  const [isClosing, setClosing] = useState(false);
  const isShut = row.paused || row.state === 'closed' || row.state === 'parked';
  const className = quiet ? 'quiet' : undefined;
  return html`<span class="actions">
    ${isShut
      ? html`<button type="button" class=${className} aria-label=${`Resume ${row.model}`}
          onClick=${() => resume(row.model)}>Resume</button>`
      : html`<button type="button" class=${className} aria-label=${`Pause ${row.model}`}
          onClick=${() => pause(row.model)}>Pause</button>
        <button type="button" class=${className}
          aria-label=${`Close ${quiet ? '' : 'until… '}${row.model}`}
          title="until a time, or until it is resumed"
          onClick=${() => setClosing(true)}>${quiet ? 'Close…' : 'Close until…'}</button>`}
    ${isClosing && html`<${Close} name=${row.model} onClose=${() => setClosing(false)} />`}</span>`;
}

/** @param {string} name */
function pause(name) {
  ask({ title: `Pause ${name}?`, action: 'Pause', run: async () => {
    await act('POST', `${pathOf(name)}/pause`);
    toast(`${name} is paused.`, { action: { label: 'Resume', run: () => resumeNow(name) } });
  }, body: html`<p>No further tasks of it are called until it is resumed. Calls under way end as
    usual, and tasks are still accepted.</p>` });
}

/** @param {string} name */
function resume(name) {
  ask({ title: `Resume ${name}?`, action: 'Resume', run: async () => {
    await act('POST', `${pathOf(name)}/resume`);
    toast(`${name} is called again.`);
  }, body: html`<p>It is called again at once, within its quota.</p>` });
}

/** @param {string} name */
async function resumeNow(name) {
  try {
    await act('POST', `${pathOf(name)}/resume`);
    toast(`${name} is called again.`);
  } catch (error) {
    toast(/** @type {Error} */ (error).message, { tone: 'bad' });
  }
}

/** @param {{name: string, onClose: () => void}} props */
function Close({ name, onClose }) {
  const [until, setUntil] = useState('');
  const [reason, setReason] = useState('');
  return html`<${Confirm} title=${`Close ${name}?`} action="Close it" danger onClose=${onClose}
    run=${async () => {
      await act('POST', `${pathOf(name)}/close`, { until: fromLocalInput(until) || null,
        reason: reason.trim() || null });
      toast(`${name} is closed.`);
    }}>
    <p>It is not called until then, or until somebody resumes it. Tasks are still accepted.</p>
    <${Field} label="Until (your time)" type="datetime-local" value=${until} onInput=${setUntil}
      hint="Empty: until it is resumed." />
    <${Field} label="Reason" value=${reason} onInput=${setReason}
      hint="Everybody who waits for this model may read it." /><//>`;
}
