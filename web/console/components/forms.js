// Fields of forms, and the filters of a screen, which live in its URL.
import { classes, html, useEffect, useId, useRef, useState } from '../html.js';
import { setQuery } from '../router.js';

/** A label, its control, what it is for and what is wrong with it.
 * @param {{label: any, value: any, onInput: (value: any) => void, type?: string, hint?: any,
 *   error?: string | null, choices?: Array<string | [string, string]>, placeholder?: string,
 *   required?: boolean, disabled?: boolean, rows?: number, autofocus?: boolean, className?: string,
 *   attributes?: Record<string, any>}} props
 *   type: text, password, number, integer, search, datetime-local, select, checkbox or textarea */
export function Field(props) {
  const { label, hint, error, type = 'text', className } = props;
  const id = useId();
  const notes = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  const control = html`<${Control} ...${props} id=${id} notes=${notes || undefined} />`;
  if (type === 'checkbox') {
    return html`<div class=${classes('field', 'field-check', className)}>
      <label for=${id}>${control} <span>${label}</span></label>
      ${hint && html`<p class="field-hint" id=${`${id}-hint`}>${hint}</p>`}
      ${error && html`<p class="field-error" id=${`${id}-error`}>${error}</p>`}</div>`;
  }
  return html`<div class=${classes('field', className)}>
    <label for=${id}>${label}</label>${control}
    ${hint && html`<p class="field-hint" id=${`${id}-hint`}>${hint}</p>`}
    ${error && html`<p class="field-error" id=${`${id}-error`}>${error}</p>`}</div>`;
}

/** @param {any} props those of Field, with id and notes */
function Control({ id, notes, value, onInput, type = 'text', choices = [], placeholder, required,
  disabled, rows = 4, autofocus, error, attributes = {} }) {
  const element = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    if (autofocus) element.current?.focus();
  }, []);
  const shared = { id, ref: element, required, disabled, placeholder,
    'aria-invalid': error ? 'true' : undefined, 'aria-describedby': notes, ...attributes };
  const read = (/** @type {any} */ event) => onInput(event.target.value);
  if (type === 'select') {
    return html`<select ...${shared} value=${value} onChange=${read}>${choices.map(
      (/** @type {string | [string, string]} */ choice) => {
        const [name, text] = typeof choice === 'string' ? [choice, choice] : choice;
        return html`<option key=${name} value=${name} selected=${name === value}>${text}</option>`;
      })}</select>`;
  }
  if (type === 'checkbox') {
    return html`<input type="checkbox" ...${shared} checked=${value}
      onChange=${(/** @type {any} */ event) => onInput(event.target.checked)} />`;
  }
  if (type === 'textarea') {
    return html`<textarea ...${shared} rows=${rows} value=${value} onInput=${read}></textarea>`;
  }
  // A number's field loses digits and takes "e": integers are text with a numeric keyboard.
  const isInteger = type === 'integer' || type === 'number';
  return html`<input type=${isInteger ? 'text' : type} ...${shared} value=${value} onInput=${read}
    inputmode=${type === 'integer' ? 'numeric' : type === 'number' ? 'decimal' : undefined}
    autocomplete=${attributes.autocomplete ?? 'off'} spellcheck=${false} />`;
}

/** The filters of a screen. Each is a key of the URL's query; what is typed counts on Enter or when
 * the field is left, a choice at once.
 * @param {{query: Record<string, string>, fields: Array<FilterField>, children?: any,
 *   label?: string}} props
 * @typedef {{name: string, label: string, type?: string,
 *   choices?: Array<string | [string, string]>, placeholder?: string, live?: boolean,
 *   width?: 'short' | 'long', hint?: string}} FilterField
 *   live: counts with each key, for what is filtered in the page */
export function Filters({ query, fields, children, label = 'Filters' }) {
  const isFiltered = fields.some((field) => query[field.name]);
  // A new filter begins on the first page.
  const change = (/** @type {FilterField} */ field, /** @type {string} */ value) => {
    if ((query[field.name] ?? '') === value) return;
    setQuery({ [field.name]: value, before: null }, { replace: field.live });
  };
  return html`<form class="filters" role="search" aria-label=${label}
    onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}>
    ${fields.map((field) => html`<${Filter} key=${field.name} field=${field}
      value=${query[field.name] ?? ''} onChange=${(/** @type {string} */ value) =>
        change(field, value)} />`)}
    ${isFiltered && html`<button type="button" class="quiet" onClick=${() => setQuery(
      Object.fromEntries([...fields.map((field) => [field.name, null]), ['before', null]]))}
      >Clear</button>`}
    ${children && html`<div class="filters-more">${children}</div>`}</form>`;
}

/** @param {{field: FilterField, value: string, onChange: (value: string) => void}} props */
function Filter({ field, value, onChange }) {
  const id = useId();
  const [draft, setDraft] = useState(value);
  useEffect(() => setDraft(value), [value]);
  if (field.type === 'select') {
    return html`<div class="filter"><label for=${id}>${field.label}</label>
      <select id=${id} value=${value} title=${field.hint}
        onChange=${(/** @type {any} */ event) => onChange(event.target.value)}>
        ${(field.choices ?? []).map((choice) => {
          const [name, text] = typeof choice === 'string' ? [choice, choice || 'any'] : choice;
          return html`<option key=${name} value=${name} selected=${name === value}
            >${text}</option>`;
        })}</select></div>`;
  }
  const isTime = field.type === 'time';
  return html`<div class=${classes('filter', field.width && `filter-${field.width}`)}>
    <label for=${id}>${field.label}</label>
    <input id=${id} type=${isTime ? 'datetime-local' : field.type === 'search' ? 'search' : 'text'}
      step=${isTime ? '1' : undefined} title=${field.hint}
      value=${isTime ? toLocalInput(draft) : draft} placeholder=${field.placeholder}
      autocomplete="off" spellcheck=${false}
      onInput=${(/** @type {any} */ event) => {
        const next = isTime ? fromLocalInput(event.target.value) : event.target.value;
        setDraft(next);
        if (field.live) onChange(next);
      }}
      onChange=${(/** @type {any} */ event) => onChange(
        isTime ? fromLocalInput(event.target.value) : event.target.value.trim())}
      onKeyDown=${(/** @type {any} */ event) => {
        if (event.key === 'Enter' && !isTime) onChange(event.target.value.trim());
      }} /></div>`;
}

/** What a datetime-local field shows for a moment of the URL, which is in UTC.
 * @param {string} iso */
function toLocalInput(iso) {
  const date = new Date(iso);
  if (!iso || Number.isNaN(date.getTime())) return '';
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

/** @param {string} local */
export function fromLocalInput(local) {
  const date = new Date(local);
  return !local || Number.isNaN(date.getTime()) ? '' : date.toISOString();
}

/** A few choices side by side, such as ranges of time: links, because each is a URL.
 * @param {{label: string, value: string, choices: Array<[string, string]>,
 *   name: string, initial?: string}} props
 *   name: the key of the query; initial: what no key means */
export function Choices({ label, value, choices, name, initial }) {
  return html`<div class="choices" role="group" aria-label=${label}>${choices.map(([key, text]) =>
    html`<button type="button" key=${key} aria-pressed=${key === value ? 'true' : 'false'}
      onClick=${() => setQuery({ [name]: key === initial ? null : key })}>${text}</button>`)}
  </div>`;
}
