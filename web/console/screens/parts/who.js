// Who did it: an API key by its name, which administrators may read; anybody else as the server
// says it.
import { html, makeStore, useEffect, useStore } from '../../html.js';
import { request } from '../../api.js';
import { can, useSession } from '../../session.js';

/** So many keys' names are asked for, the newest: a page of the server's. */
const KEYS_MAX = 100;
/** A key that is not among them is not asked for again sooner. */
const AGAIN_MS = 60_000;

/** @type {Store<Map<string, string>>} names of keys by their ids */
const names = makeStore(/** @type {Map<string, string>} */ (new Map()));
let askedAt = -AGAIN_MS;

async function askForNames() {
  if (performance.now() - askedAt < AGAIN_MS) return;
  askedAt = performance.now();
  try {
    const { data } = await request('GET', `v1/keys?limit=${KEYS_MAX}`);
    names.set(new Map(data.map((/** @type {ApiKey} */ key) => [key.id, key.name])));
  } catch {
    // Then it is called by its id.
  }
}

/** @param {{who: string | null}} props as the server says it: "key ID via LOGIN", or a login */
export function Who({ who }) {
  const session = useSession();
  const known = useStore(names);
  const id = /^key ([0-9a-f]{16}) via /.exec(who ?? '')?.[1];
  const isMine = id !== undefined && id === session?.key_id;
  const name = isMine ? session?.name : known.get(id ?? '');
  const isAsked = id !== undefined && !name && can(session, 'admin');
  useEffect(() => { if (isAsked) askForNames(); }, [isAsked]);
  if (id === undefined) return who ?? '–';
  return html`<span title=${who}>${name ? html`key <b>${name}</b>` : `key ${id}`}${isMine
    && ', you'}</span>`;
}
