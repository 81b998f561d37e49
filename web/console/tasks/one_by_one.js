// One action on a few chosen tasks, a request for each.
import { act, request } from '../api.js';

/** So many requests are under way at a time. */
const AT_ONCE_MAX = 4;

/** @type {Record<string, [method: 'POST' | 'DELETE', end: string]>} */
const ROUTES = { cancel: ['DELETE', ''], redrive: ['POST', '/redrive'],
  forget: ['POST', '/forget'] };

/** An action on one task. The page is loaded anew afterwards.
 * @type {Record<string, (id: string) => Promise<any>>} */
export const SINGLE = Object.fromEntries(Object.entries(ROUTES).map(([name, [method, end]]) =>
  [name, (/** @type {string} */ id) => act(method, `v1/tasks/${id}${end}`)]));

/** @param {string} action
 * @param {Array<string>} ids
 * @returns {Promise<{done: number, problems: Array<{id: string, message: string}>}>} */
export async function actOnEach(action, ids) {
  const [method, end] = ROUTES[action];
  /** @type {Array<{id: string, message: string}>} */
  const problems = [];
  const left = [...ids];
  let done = 0;
  const next = async () => {
    for (let id = left.shift(); id !== undefined; id = left.shift()) {
      try {
        await request(method, `v1/tasks/${id}${end}`);
        done += 1;
      } catch (thrown) {
        problems.push({ id, message: thrown instanceof Error ? thrown.message : String(thrown) });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE_MAX }, next));
  return { done, problems };
}
