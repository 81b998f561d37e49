// The head of a screen: its name, what it is about, what can be done.
import { html, useEffect } from '../html.js';

/** @param {{title: any, name?: string, note?: any, actions?: any, children?: any}} props
 *   name: for the window's title, where title is more than a text */
export function Page({ title, name, note, actions, children }) {
  const text = name ?? (typeof title === 'string' ? title : '');
  useEffect(() => {
    document.title = text ? `${text} – Sluice` : 'Sluice';
  }, [text]);
  return html`<div class="page">
    <header class="page-head"><h1 tabindex="-1">${title}</h1>
      ${note && html`<p class="page-note">${note}</p>`}
      ${actions && html`<div class="page-actions">${actions}</div>`}</header>
    ${children}</div>`;
}
