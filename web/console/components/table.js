// A table: sortable heads, rows that open with Enter, j and k between them.
import { classes, html, useMemo, useState } from '../html.js';
import { setQuery } from '../router.js';

/** @param {{columns: Array<Column<any>>, rows: Array<any>, rowKey: (row: any) => string,
 *   caption: string, href?: (row: any) => string | null, query?: Record<string, string>,
 *   sortName?: string, initialSort?: string, rowClass?: (row: any) => string | undefined,
 *   onOpen?: (row: any) => void, footer?: any, version?: unknown}} props
 *   href: where a row leads: the first column becomes its link; query: then the order is in the
 *   URL, under sortName; initialSort: "name", or "-depth" for the largest first; caption: for
 *   screen readers; version: changes when render() depends on more than the row */
export function Table({ columns, rows, rowKey, caption, href, query, sortName = 'sort',
  initialSort = '', rowClass, onOpen, footer, version }) {
  const [localSort, setLocalSort] = useState(initialSort);
  const sort = query ? query[sortName] ?? initialSort : localSort;
  const sorted = useMemo(() => sortRows(rows, columns, sort), [rows, columns, sort]);
  const setSort = (/** @type {string} */ next) => {
    if (query) setQuery({ [sortName]: next === initialSort ? null : next }, { replace: true });
    else setLocalSort(next);
  };
  return html`<div class="table-box"><table>
    <caption class="sr">${caption}</caption>
    <thead><tr>${columns.map((column) =>
      html`<${Head} key=${column.key} column=${column} sort=${sort} onSort=${setSort} />`)}</tr>
    </thead>
    <tbody>${sorted.map((row) => html`<${Row} key=${rowKey(row)} row=${row} columns=${columns}
      href=${href} rowClass=${rowClass} onOpen=${onOpen} version=${version} />`)}</tbody>
    ${footer && html`<tfoot>${footer}</tfoot>`}
  </table></div>`;
}

/** @param {{column: Column<any>, sort: string, onSort: (sort: string) => void}} props */
function Head({ column, sort, onSort }) {
  const isSorted = sort.replace(/^-/, '') === column.key;
  const isDown = isSorted && sort.startsWith('-');
  const className = cellClass(column);
  if (!column.sort) {
    return html`<th scope="col" class=${className} title=${column.title}>${column.label}</th>`;
  }
  const next = isSorted ? (isDown ? column.key : `-${column.key}`)
    : `${column.descending ? '-' : ''}${column.key}`;
  return html`<th scope="col" class=${className}
    aria-sort=${isSorted ? (isDown ? 'descending' : 'ascending') : undefined}>
    <button type="button" class="sort" title=${column.title} onClick=${() => onSort(next)}
      >${column.label}<span class="sort-mark" aria-hidden="true"
      >${isSorted ? (isDown ? '↓' : '↑') : ''}</span></button></th>`;
}

/** @param {Column<any>} column */
function cellClass(column) {
  return classes(column.numeric && 'num', column.hide && `hide-${column.hide}`, column.className);
}

/** Rendered again only when its row is another object. @param {any} props */
function Row({ row, columns, href, rowClass, onOpen, version }) {
  return useMemo(() => {
    const url = href?.(row);
    return html`<tr class=${classes((url || onOpen) && 'opens', rowClass?.(row))}
      onClick=${url || onOpen ? (/** @type {MouseEvent} */ event) => openRow(event) : undefined}>
      ${columns.map((/** @type {Column<any>} */ column, /** @type {number} */ index) => {
        const content = column.render ? column.render(row) : row[column.key];
        const Cell = index === 0 ? 'th' : 'td';
        return html`<${Cell} key=${column.key} class=${cellClass(column)}
          scope=${index === 0 ? 'row' : undefined}>${index > 0 ? content
          : url ? html`<a href=${url} data-row>${content}</a>`
          : onOpen ? html`<button type="button" class="row-button" data-row
              onClick=${() => onOpen(row)}>${content}</button>`
          : content}${column.more?.(row)}</${Cell}>`;
      })}</tr>`;
  }, [row, columns, version, href?.(row)]);
}

/** A click anywhere in a row is one on its link, unless something else was meant.
 * @param {MouseEvent} event */
function openRow(event) {
  if (!(event.target instanceof Element) || event.button !== 0) return;
  if (event.target.closest('a, button, input, select, label, summary, dialog')) return;
  if (String(getSelection() ?? '') !== '') return;
  const row = event.currentTarget;
  const opener = row instanceof Element ? row.querySelector('[data-row]') : null;
  opener?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true,
    ctrlKey: event.ctrlKey, metaKey: event.metaKey, shiftKey: event.shiftKey }));
}

/** @template T
 * @param {Array<T>} rows
 * @param {Array<Column<T>>} columns
 * @param {string} sort */
export function sortRows(rows, columns, sort) {
  const valueOf = columns.find((column) => column.key === sort.replace(/^-/, ''))?.sort;
  if (!valueOf) return rows;
  const sign = sort.startsWith('-') ? -1 : 1;
  return [...rows].sort((left, right) => {
    const [a, b] = [valueOf(left), valueOf(right)];
    // What has no value stands last, whichever way the others go.
    if (isNone(a) || isNone(b)) return Number(isNone(a)) - Number(isNone(b));
    return sign * (typeof a === 'string' && typeof b === 'string' ? names.compare(a, b)
      : a < b ? -1 : a > b ? 1 : 0);
  });
}

const names = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
/** @param {unknown} value */
const isNone = (value) => value === null || value === undefined;

/** Moves the focus between the rows of the page. @param {1 | -1} step */
export function moveRow(step) {
  const links = [...document.querySelectorAll('main [data-row]')];
  if (links.length === 0) return;
  const at = links.findIndex((link) => link.closest('tr')?.contains(document.activeElement));
  const next = links[at < 0 ? (step > 0 ? 0 : links.length - 1)
    : Math.min(Math.max(at + step, 0), links.length - 1)];
  if (!(next instanceof HTMLElement)) return;
  next.focus({ preventScroll: true });
  next.closest('tr')?.scrollIntoView({ block: 'nearest' });
}
