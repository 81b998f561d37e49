// An action on one task, by itself.
import { act } from '../api.js';

/** @type {Record<string, [method: 'POST' | 'DELETE', end: string]>} */
const ROUTES = { cancel: ['DELETE', ''], redrive: ['POST', '/redrive'],
  forget: ['POST', '/forget'] };

/** An action on one task. The page is loaded anew afterwards.
 * @type {Record<string, (id: string) => Promise<any>>} */
export const SINGLE = Object.fromEntries(Object.entries(ROUTES).map(([name, [method, end]]) =>
  [name, (/** @type {string} */ id) => act(method, `v1/tasks/${id}${end}`)]));
