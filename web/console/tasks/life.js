// A task's life, kept up to date: its states by server-sent events, the rest by asking again; and
// the sentence that says why it is where it is.
import { html, useEffect, useRef } from '../html.js';
import { urlOf, useApi } from '../api.js';
import { count, plural } from '../format.js';
import { encodePart, link } from '../router.js';
import { can } from '../session.js';
import { Copy } from '../components/index.js';
import { ENDED, STATUSES } from './filters.js';
import { aheadIn, hintFor, withoutCommand } from './sentences.js';

/** @typedef {import('./types.js').Life} Life */

/** How often the sentence, with those ahead, is asked for while the task has not ended. */
const LOOK_MS = 3_000;
/** A stream that broke is asked for anew after so long: it may have been as old as it may be. */
const RECONNECT_MS = 5_000;

/** The timeline of a task, asked for anew whenever its state changes.
 * @param {string} id
 * @returns {Loaded<Life> & {isOver: boolean}} */
export function useLife(id) {
  const seen = useRef(false);
  /** @type {Loaded<Life>} */
  const life = useApi(`v1/tasks/${encodePart(id)}/timeline`,
    { interval: seen.current ? 0 : LOOK_MS });
  const status = life.data?.task.id === id ? life.data.task.status : '';
  const isOver = ENDED.includes(status);
  seen.current = isOver;
  useStates(isOver || status === '' ? null : id, life.reload);
  return { ...life, isOver };
}

/** Hears of a task's states while the page is seen.
 * @param {string | null} id null: of none
 * @param {() => void} onState */
function useStates(id, onState) {
  useEffect(() => {
    if (id === null) return undefined;
    /** @type {EventSource | null} */
    let source = null;
    let timer = 0;
    const close = () => {
      clearTimeout(timer);
      source?.close();
      source = null;
    };
    const follow = () => {
      close();
      if (document.hidden) return;
      source = new EventSource(urlOf(`v1/tasks/${encodePart(id)}/events`));
      for (const status of STATUSES) source.addEventListener(status, onState);
      source.onerror = () => {
        close();
        timer = setTimeout(follow, RECONNECT_MS);
      };
    };
    follow();
    document.addEventListener('visibilitychange', follow);
    return () => {
      document.removeEventListener('visibilitychange', follow);
      close();
    };
  }, [id]);
}

/** How many are ahead, and how many were when the page was opened.
 * @param {{sentence: string}} props */
function Ahead({ sentence }) {
  const now = aheadIn(sentence);
  const most = useRef(0);
  if (now && !now.isMore) most.current = Math.max(most.current, now.count);
  if (!now || now.count === 0) return null;
  const hasMoved = !now.isMore && most.current > now.count;
  return html`<p class="reason-ahead">
    <strong>${now.isMore && 'more than '}${count(now.count)}</strong>
    ${now.count === 1 ? ' task' : ' tasks'} ahead of this one${hasMoved
      && `; it was behind ${count(most.current)} when this page was opened`}</p>`;
}

/** Where advice leads. @param {string | undefined} to @param {string | null} model */
function placeOf(to, model) {
  if (to !== 'model' && to !== 'settings') return to && link(to);
  return model === null ? link('models')
    : link(['models', model], { view: to === 'settings' ? 'settings' : null });
}

/** What can be done about what the sentence says.
 * @param {{sentence: string, model: string | null, session: Session}} props */
function Advice({ sentence, model, session }) {
  const hint = hintFor(sentence);
  if (!hint) return null;
  const place = session.tenant || (hint.to === 'settings' && !can(session, 'admin')) ? null
    : placeOf(hint.to, model);
  return html`<p class="reason-advice">${hint.words}
    ${hint.command && html` <code>${hint.command}</code> <${Copy} text=${hint.command} />`}
    ${place && html` <a href=${place}>${hint.toWords}</a>`}</p>`;
}

/** Why the task is where it is.
 * @param {{life: Loaded<Life> & {isOver: boolean}, session: Session}} props */
export function Why({ life, session }) {
  const sentence = life.data?.explain;
  if (!sentence) return null;
  return html`<section class="reason" aria-label="Why it is where it is">
    <p class="reason-sentence" aria-live="polite">${withoutCommand(sentence)}</p>
    ${!life.isOver && html`<${Ahead} sentence=${sentence} />
      <${Advice} sentence=${sentence} model=${life.data?.task.model ?? null} session=${session} />
      ${/\d\d:\d\d:\d\d/.test(sentence) && html`<p class="muted small">Clock times in this sentence
        are the database's.</p>`}`}</section>`;
}

/** @param {number} n */
export const tasksOf = (n) => plural(n, 'task');
