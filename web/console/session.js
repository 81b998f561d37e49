// Who is signed in, and what he may do.
import { makeStore, useStore } from './html.js';
import { ApiError, request } from './api.js';

/** @type {Store<Session | null>} null: not known yet */
const session = makeStore(/** @type {Session | null} */ (null));
/** The server's version when the page was loaded. @type {string | null} */
let firstVersion = null;

export const useSession = () => useStore(session);

/** Asks the server who this is. Throws what request throws. */
export async function loadSession() {
  const found = await request('GET', 'session');
  // A server that has not read its keys yet knows nobody: that signs nobody out.
  if (found.unavailable && !found.signed_in) {
    throw new ApiError(503, { type: 'unavailable', message: `The server is not ready: ${
      found.unavailable}` });
  }
  firstVersion ??= found.version;
  session.set(found);
  return found;
}

/** @param {string} key */
export async function signIn(key) {
  await request('POST', 'session', { key });
  return loadSession();
}

export async function signOut() {
  await request('DELETE', 'session');
  await loadSession();
}

/** Whether the server has been replaced since this page was loaded. @param {Session} now */
export const isOtherVersion = (now) => firstVersion !== null && now.version !== firstVersion;

/** @param {Session | null} who @param {'read' | 'submit' | 'admin'} scope */
export function can(who, scope) {
  if (!who) return false;
  if (who.without_keys) return true;
  return who.signed_in && (who.scopes.includes(scope) || who.scopes.includes('admin'));
}

/** Whether the key is bound to a tenant, and sees its tasks alone. @param {Session | null} who */
export const isBound = (who) => Boolean(who?.tenant);
