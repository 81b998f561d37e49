// Exchanges an API key for a cookie that scripts cannot read.
import { html, useEffect, useState } from '../html.js';
import { signIn } from '../session.js';
import { Field, FormError } from '../components/index.js';

/** @param {{wasIn: boolean}} props */
export default function SignIn({ wasIn }) {
  const [key, setKey] = useState('');
  const [error, setError] = useState(/** @type {any} */ (null));
  const [isBusy, setBusy] = useState(false);
  useEffect(() => { document.title = 'Sign in – Sluice'; }, []);
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await signIn(key.trim());
    } catch (thrown) {
      setError(thrown);
      setBusy(false);
    }
  };
  return html`<main class="alone"><form class="sign-in" onSubmit=${submit}>
    <h1>Sluice</h1>
    ${wasIn && !error && html`<p role="status">The session is over: sign in again. This page stays
      where it is.</p>`}
    <${Field} label="API key" type="password" value=${key} onInput=${setKey} required autofocus
      placeholder="sluice_…" attributes=${{ autocomplete: 'current-password', name: 'key' }}
      error=${error?.status === 401 ? 'No such key is in force.' : null} />
    ${error?.status !== 401 && html`<${FormError} error=${error} />`}
    <button type="submit" class="primary" disabled=${isBusy || key.trim() === ''}
      >${isBusy ? 'Signing in…' : 'Sign in'}</button>
    <p class="muted">Make one with <code>sluice key create my-browser --scope submit,read</code>;
      scope <code>admin</code> also shows and changes settings. It is exchanged for a cookie, which
      ends after an hour without use.</p>
  </form></main>`;
}
