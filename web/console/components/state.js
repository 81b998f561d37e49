// What is shown when there is nothing to show: loading, empty, error, stale.
import { classes, html } from '../html.js';
import { localTime } from '../format.js';
import { ApiError, isPassing } from '../api.js';

/** Wraps what one useApi shows.
 * @param {{of: Loaded<any>, children: (data: any) => any, empty?: any,
 *   isEmpty?: (data: any) => boolean, rows?: number}} props
 *   empty: said when a list has nothing; rows: how many lines the placeholder has */
export function State({ of, children, empty, isEmpty = isEmptyList, rows = 6 }) {
  if (of.data === null) {
    return of.error ? html`<${Problem} error=${of.error} onRetry=${of.reload} />`
      : html`<${Loading} rows=${rows} />`;
  }
  const show = children;
  return html`<div class=${classes('state', of.stale && 'is-stale')}
    aria-busy=${of.loading ? 'true' : undefined}>
    ${of.error && html`<${Stale} of=${of} />`}
    ${empty !== undefined && isEmpty(of.data) ? html`<${Empty}>${empty}<//>` : show(of.data)}
  </div>`;
}

/** @param {any} data */
const isEmptyList = (data) => Array.isArray(data?.data) && data.data.length === 0;

/** Grey lines; they appear only after a moment, so that a fast answer does not flash.
 * @param {{rows?: number}} props */
export function Loading({ rows = 6 }) {
  return html`<div class="loading" role="status"><span class="sr">Loading</span>
    ${Array.from({ length: rows }, (_, index) =>
      html`<div class="loading-line" key=${index}></div>`)}
  </div>`;
}

/** @param {{children?: any}} props */
export const Empty = ({ children }) => html`<div class="empty">${children}</div>`;

/** An error in place of data.
 * @param {{error: any, onRetry?: () => void}} props */
export function Problem({ error, onRetry }) {
  const [title, advice] = explain(error);
  return html`<div class="problem" role="alert">
    <p class="problem-title">${title}</p>
    ${advice && html`<p>${advice}</p>`}
    ${error.hint && html`<p>${error.hint}</p>`}
    ${onRetry && error.status !== 403 && error.status !== 404 && html`<p class="problem-actions">
      <button type="button" onClick=${onRetry}>Try again</button>
      ${isPassing(error) && html`<span class="muted">It is tried again by itself.</span>`}</p>`}
  </div>`;
}

/** @param {any} error @returns {[string, string | null]} */
function explain(error) {
  if (!(error instanceof ApiError)) {
    return ['The page has an error.', String(error?.message ?? error)];
  }
  if (error.status === 0) {
    return ['The server does not answer.', 'It may be restarting, or the network is away.'];
  }
  if (error.status === 403) return ['This key may not see this.', error.message];
  if (error.status === 404) return [sentence(error.message), null];
  return [error.message, error.status >= 500 ? `HTTP ${error.status}, ${error.type}` : null];
}

/** @param {string} text */
const sentence = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`;

/** Above old data: since when it is old, and why.
 * @param {{of: Loaded<any>}} props */
export function Stale({ of }) {
  return html`<div class="stale" role="status"><span>Shown as of
    ${' '}${of.at ? localTime(new Date(of.at)) : 'earlier'}: ${of.error.message}</span>
    <button type="button" class="quiet" onClick=${of.reload}>Try again</button></div>`;
}

/** A message of an ApiError inside a form. @param {{error: any}} props */
export function FormError({ error }) {
  if (!error) return null;
  return html`<p class="form-error" role="alert">${error.message}
    ${error.hint && html`<br /><span class="muted">${error.hint}</span>`}</p>`;
}
