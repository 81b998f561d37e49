// A task's prompt, answer and verbatim bodies: hidden until asked for, then folded; shown as text,
// never as markup.
import { html, useMemo, useState } from '../html.js';
import { request } from '../api.js';
import { plural } from '../format.js';
import { encodePart } from '../router.js';
import { Copy, Problem } from '../components/index.js';
import { indentJson } from './json_text.js';
import { saveText } from './download.js';

/** More is shown when asked for: laying out a longer text would hold the page up. */
const SHOWN_CHARS_MAX = 50_000;

/** @type {Array<[string, string, string]>} key of the answer, heading, end of a file's name */
const KINDS = [
  ['prompt', 'Prompt', 'txt'],
  ['request', 'Request, as it was sent', 'json'],
  ['answer', 'Answer', 'txt'],
  ['response', 'Reply of the backend, verbatim', 'json'],
];

/** @param {{id: string, kind: [string, string, string], text: string, isBeginning: boolean}} props
 *   isBeginning: the server cut it */
function Text({ id, kind: [name, heading, ending], text, isBeginning }) {
  const indented = useMemo(() => indentJson(text), [text]);
  const [isRaw, setRaw] = useState(false);
  const [isWhole, setWhole] = useState(false);
  const shown = indented === null || isRaw ? text : indented;
  const isCut = shown.length > SHOWN_CHARS_MAX && !isWhole;
  return html`<details class="text" open=${name === 'prompt' || name === 'answer'}>
    <summary>${heading} <span class="muted">${plural(text.length, 'character')}</span></summary>
    <div class="text-tools"><${Copy} text=${text} label=${`Copy ${name}`} />
      <button type="button" class="quiet" onClick=${() => saveText(`task-${id}-${name}.${ending}`,
        text)}>Download ${name}</button>
      ${indented !== null && html`<button type="button" class="quiet" aria-pressed=${String(isRaw)}
        onClick=${() => setRaw(!isRaw)}>As it came</button>`}</div>
    <pre class="text-body" tabindex="0" role="region" aria-label=${heading}>${
      isCut ? shown.slice(0, SHOWN_CHARS_MAX) : shown}</pre>
    ${isBeginning && html`<p class="muted">The server sent the beginning only: the texts are longer
      than 8 MiB. <code>sluice task ${id}</code> shows all.</p>`}
    ${isCut && html`<button type="button" onClick=${() => setWhole(true)}>Show all
      ${' '}${plural(shown.length, 'character')}</button>`}</details>`;
}

/** @param {{id: string}} props */
export function Texts({ id }) {
  const [texts, setTexts] = useState(/** @type {Record<string, any> | null} */ (null));
  const [error, setError] = useState(/** @type {any} */ (null));
  const [isAsking, setAsking] = useState(false);
  const ask = async () => {
    setAsking(true);
    setError(null);
    try {
      setTexts(await request('GET', `v1/tasks/${encodePart(id)}/texts`));
    } catch (thrown) {
      setError(thrown);
    }
    setAsking(false);
  };
  const kinds = texts ? KINDS.filter(([key]) => typeof texts[key] === 'string') : [];
  return html`<section class="texts"><h2>Prompt and answer</h2>
    ${!texts && html`<p><button type="button" onClick=${ask} disabled=${isAsking}>
      ${isAsking ? 'Reading…' : 'Show the texts'}</button>
      ${' '}<span class="muted">Reading them is noted in the audit log.</span></p>`}
    ${error && html`<${Problem} error=${error} onRetry=${ask} />`}
    ${texts && kinds.length === 0 &&
      html`<p class="muted">There are none: they were forgotten.</p>`}
    ${kinds.map((kind) => html`<${Text} key=${kind[0]} id=${id} kind=${kind}
      text=${texts?.[kind[0]]}
      isBeginning=${(texts?.cut ?? []).includes(kind[0])} />`)}
    ${texts && html`<p class="text-tools">
      <button type="button" class="quiet" onClick=${() => setTexts(null)}>Hide the texts</button>
      <button type="button" class="quiet" onClick=${ask}>Read them again</button></p>`}</section>`;
}
