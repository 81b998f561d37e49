// The console's first module: who is signed in decides what is shown.
import { html, render, useEffect, useState, useStore } from './html.js';
import { fromJson, lastAnswer, signedOut } from './api.js';
import { Frame } from './frame.js';
import { onLive, startLive, stopLive } from './live.js';
import { can, loadSession, useSession } from './session.js';
import { Problem, Questions, Toasts } from './components/index.js';
import SignIn from './screens/sign_in.js';

const RETRY_MS = 3_000;

function App() {
  const session = useSession();
  const [error, setError] = useState(/** @type {any} */ (null));
  const outs = useStore(signedOut);

  useEffect(() => {
    let timer = 0;
    let isWanted = true;
    const load = async () => {
      try {
        await loadSession();
        if (isWanted) setError(null);
      } catch (thrown) {
        if (!isWanted) return;
        setError(thrown);
        timer = setTimeout(load, RETRY_MS);
      }
    };
    load();
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [outs]);

  const isIn = session !== null && (session.signed_in || session.without_keys);
  const isReader = can(session, 'read');
  useEffect(() => {
    if (!isIn || !isReader) return undefined;
    startLive(fromJson);
    // The stream does not say why it was refused; asking who we are does.
    const stop = onLive('lost', () => { loadSession().catch(() => {}); });
    return () => {
      stop();
      stopLive();
    };
  }, [isIn, isReader]);

  if (session === null) {
    return error ? html`<main class="alone"><${Problem} error=${error} /></main>` : null;
  }
  return html`${isIn ? html`<${Frame} session=${session} />`
    : html`<${SignIn} wasIn=${outs > 0 && lastAnswer.get() > 0} />`}
    <${Toasts} /><${Questions} />`;
}

const root = document.querySelector('#app');
if (root) render(html`<${App} />`, root);
