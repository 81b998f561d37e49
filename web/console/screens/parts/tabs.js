// Views of one screen: links, because each is a URL.
import { html } from '../../html.js';
import { currentPlace, link } from '../../router.js';

/** @param {{view: string, views: Array<[string, string]>}} props */
export function Tabs({ view, views }) {
  const { path } = currentPlace();
  return html`<nav class="tabs" aria-label="Views">${views.map(([key, text]) => html`<a key=${key}
    href=${link(path, { view: key })}
      aria-current=${key === view ? 'page' : undefined}>${text}</a>`)}</nav>`;
}
