// A form of settings: what changes is shown before it is saved, and an error stands at its field.
import { classes, html, useEffect, useMemo, useRef, useState } from '../html.js';
import { guardChanges } from '../router.js';
import { plural, settingText } from '../format.js';
import { Confirm } from './dialog.js';
import { Field } from './forms.js';
import { toast } from './toast.js';

/** @typedef {{title: string, fields: Array<SettingField>}} SettingGroup */

/** @param {{groups: Array<SettingGroup>, values: Record<string, any>, title: string,
 *   save: (changes: Record<string, any>) => Promise<any>, readOnly?: boolean}} props
 *   values: as they are now; save: sends the changed ones */
export function SettingsEditor({ groups, values, title, save, readOnly = false }) {
  const [drafts, setDrafts] = useState(/** @type {Record<string, string>} */ ({}));
  const [faults, setFaults] = useState(/** @type {Record<string, string>} */ ({}));
  const [isReviewing, setReviewing] = useState(false);
  const form = useRef(/** @type {HTMLElement | null} */ (null));
  const fields = useMemo(() => groups.flatMap((group) => group.fields), [groups]);
  const changed = fields.filter((field) => field.name in drafts
    && drafts[field.name] !== textOf(field, values[field.name]));

  useEffect(() => {
    guardChanges(changed.length === 0 ? null
      : () => `${plural(changed.length, 'change')} of ${title} not saved.`);
    return () => guardChanges(null);
  }, [changed.length, title]);

  // Where something is wrong: there the reader goes on, once no dialog is before it.
  const firstFault = fields.find((field) => faults[field.name])?.name;
  useEffect(() => {
    if (!firstFault || isReviewing) return;
    const control = form.current?.querySelector(`[data-setting="${firstFault}"]`);
    if (control instanceof HTMLElement) control.focus();
  }, [faults, isReviewing]);

  const set = (/** @type {SettingField} */ field, /** @type {string} */ text) => {
    setDrafts((old) => ({ ...old, [field.name]: text }));
    if (faults[field.name]) setFaults({});
  };
  const review = (/** @type {Event} */ event) => {
    event.preventDefault();
    const found = Object.fromEntries(changed.map((field) =>
      [field.name, parseSetting(field, drafts[field.name]).fault ?? '']));
    if (Object.values(found).some(Boolean)) setFaults(found);
    else if (changed.length > 0) setReviewing(true);
  };
  const send = async () => {
    try {
      await save(Object.fromEntries(changed.map((field) =>
        [field.name, parseSetting(field, drafts[field.name]).value])));
    } catch (error) {
      const { param, message, hint } = /** @type {any} */ (error);
      if (!fields.some((field) => field.name === param)) throw error;
      setReviewing(false);
      setFaults({ [param]: hint ? `${message.replace(/\.?$/, '.')} ${hint}` : message });
      return;
    }
    setDrafts({});
    setReviewing(false);
    toast(`${title}: ${plural(changed.length, 'change')} saved.`);
  };

  return html`<form class="settings" ref=${form} onSubmit=${review} novalidate>
    ${groups.map((group) => html`<fieldset key=${group.title} disabled=${readOnly}>
      <legend>${group.title}</legend>
      <div class="settings-grid">${group.fields.map((field) => html`<${Setting} key=${field.name}
        field=${field} before=${textOf(field, values[field.name])}
        text=${drafts[field.name] ?? textOf(field, values[field.name])}
        fault=${faults[field.name]}
        onInput=${(/** @type {string} */ text) => set(field, text)} />`)}
      </div></fieldset>`)}
    ${changed.length > 0 && html`<div class="save-bar" role="region" aria-label="Unsaved changes">
      <span>${plural(changed.length, 'change')}:
        ${' '}<b>${changed.map((field) => field.name).join(', ')}</b></span>
      <button type="button" onClick=${() => { setDrafts({}); setFaults({}); }}>Discard</button>
      <button type="submit" class="primary">Review and save</button></div>`}
  </form>
  ${isReviewing && html`<${Confirm} title=${`Save ${title}?`} action="Save" run=${send}
    onClose=${() => setReviewing(false)}>
    <p>It is in force at once, everywhere, and kept as a revision that can be taken back.</p>
    <${Changes} changes=${changed.map((field) => ({ name: field.name,
      before: textOf(field, values[field.name]), after: drafts[field.name],
      none: field.none }))} /><//>`}`;
}

/** @param {{field: SettingField, text: string, before: string, fault?: string,
 *   onInput: (text: string) => void}} props */
function Setting({ field, text, before, fault, onInput }) {
  const isChanged = text !== before;
  const none = field.none === undefined ? undefined : field.none;
  const shared = { label: field.name, value: text, onInput, error: fault,
    className: classes(isChanged && 'is-changed'), attributes: { 'data-setting': field.name },
    hint: html`${isChanged && html`<span class="was">was ${before === ''
      ? html`<i>${none ?? 'empty'}</i>` : before} </span>`}${field.hint}` };
  if (field.kind === 'boolean' || field.kind === 'choice') {
    const names = field.kind === 'boolean' ? ['true', 'false'] : field.choices ?? [];
    const choices = [...(none === undefined ? [] : [['', none]]),
      ...names.map((name) =>
        [name, field.kind === 'choice' ? name : name === 'true' ? 'yes' : 'no'])];
    return html`<${Field} ...${shared} type="select" choices=${choices} />`;
  }
  if (field.kind === 'list') {
    return html`<${Field} ...${shared} type="textarea" rows=${3} placeholder=${none} />`;
  }
  return html`<${Field} ...${shared} placeholder=${none}
    type=${field.kind === 'integer' || field.kind === 'number' ? field.kind : 'text'} />`;
}

/** A list of before → after.
 * @param {{changes: Array<{name: string, before: string | null, after: string,
 *   none?: string}>}} props before: null: it is not there; none: what no value means */
export function Changes({ changes }) {
  return html`<table class="changes"><caption class="sr">What changes</caption>
    <thead><tr><th scope="col">Setting</th><th scope="col">Now</th><th scope="col">Then</th></tr>
    </thead>
    <tbody>${changes.map((one) => html`<tr key=${one.name}><th scope="row">${one.name}</th>
      <td class="before"><${Value} text=${one.before} none=${one.none} /></td>
      <td class="after"><${Value} text=${one.after} none=${one.none} /></td></tr>`)}
    </tbody></table>`;
}

/** @param {{text: string | null, none?: string}} props */
export const Value = ({ text, none = 'none' }) => (text ? text
  : html`<i class="muted">${text === null ? 'gone' : none}</i>`);

/** @param {SettingField} field @param {unknown} value */
const textOf = (field, value) => (field.kind === 'list' && Array.isArray(value)
  ? value.join('\n') : settingText(value));

/** What was typed as a value of JSON, or what is wrong with it.
 * @param {SettingField} field
 * @param {string} text
 * @returns {{value?: any, fault?: string}} */
export function parseSetting(field, text) {
  const trimmed = text.trim();
  if (trimmed === '') {
    return field.none === undefined ? { fault: 'This needs a value.' } : { value: null };
  }
  switch (field.kind) {
    case 'integer': return parseInteger(field, trimmed.replace(/[,_ ]/g, ''));
    case 'number': return inRange(field, Number(trimmed), trimmed);
    case 'boolean': return { value: trimmed === 'true' };
    case 'list': return { value: trimmed.split('\n').map((one) => one.trim()).filter(Boolean) };
    case 'interval': return /\d/.test(trimmed) ? { value: trimmed }
      : { fault: `"${trimmed}" is no time. Write it with its unit, such as 30s or 5 min.` };
    default: return { value: trimmed };
  }
}

/** @param {SettingField} field @param {string} digits */
function parseInteger(field, digits) {
  if (!/^-?\d+$/.test(digits)) return { fault: `"${digits}" is no whole number.` };
  const checked = inRange(field, Number(digits), digits);
  return checked.fault || Number.isSafeInteger(Number(digits)) ? checked
    : { value: BigInt(digits) };
}

/** @param {SettingField} field @param {number} value @param {string} text */
function inRange({ min, max }, value, text) {
  if (!Number.isFinite(value)) return { fault: `"${text}" is no number.` };
  if (min !== undefined && value < min) return { fault: `${text} is below ${min}.` };
  if (max !== undefined && value > max) return { fault: `${text} is above ${max}.` };
  return { value };
}
