// A new model: what a call needs. The rest has defaults, and follows on its page.
import { html, useState } from '../../html.js';
import { act } from '../../api.js';
import { encodePart, go, link } from '../../router.js';
import { Dialog, Field, FormError } from '../../components/index.js';
import { parseSetting } from '../../components/settings.js';
import { APIS } from './setting_fields.js';

/** @type {Array<{field: SettingField, label: string, hint?: string, placeholder?: string}>} */
const FIELDS = [
  { field: { name: 'url', kind: 'text' }, label: 'URL', placeholder: 'https://api.example.com/v1' },
  { field: { name: 'upstream_model', kind: 'text', none: '' }, label: 'Name at the backend',
    placeholder: 'the same name' },
  { field: { name: 'secret', kind: 'text', none: '' }, label: 'Secret', placeholder: 'none',
    hint: 'Where the worker finds it, never the secret itself: env:SLUICE_SECRET_NAME or '
      + 'file:PATH.' },
  { field: { name: 'rpm', kind: 'integer', none: '', min: 1 }, label: 'Calls a minute (rpm)',
    placeholder: 'no limit' },
  { field: { name: 'tpm', kind: 'integer', none: '', min: 1 }, label: 'Tokens a minute (tpm)',
    placeholder: 'no limit' },
];

const API_HINT = 'openai-chat is also what vLLM, Ollama and most gateways speak; solve is for a '
  + 'server of your own.';

/** @param {{onClose: () => void}} props */
export function NewModel({ onClose }) {
  const [name, setName] = useState('');
  const [api, setApi] = useState('openai-chat');
  const [texts, setTexts] = useState(/** @type {Record<string, string>} */ ({}));
  const [faults, setFaults] = useState(/** @type {Record<string, string>} */ ({}));
  const [error, setError] = useState(/** @type {any} */ (null));
  const [isBusy, setBusy] = useState(false);
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const parsed = FIELDS.map(({ field }) =>
      ({ name: field.name, ...parseSetting(field, texts[field.name] ?? '') }));
    const found = Object.fromEntries(parsed.filter((one) => one.fault)
      .map((one) => [one.name, one.fault ?? '']));
    setFaults(found);
    setError(null);
    if (Object.keys(found).length > 0) return;
    setBusy(true);
    try {
      await act('PUT', `v1/models/${encodePart(name.trim())}`, { api,
        ...Object.fromEntries(parsed.map((one) => [one.name, one.value])) });
      onClose();
      go(link(['models', name.trim()]));
    } catch (thrown) {
      const { param, message } = /** @type {any} */ (thrown);
      if (param === 'name' || param === 'api' || param in texts) setFaults({ [param]: message });
      else setError(thrown);
      setBusy(false);
    }
  };
  return html`<${Dialog} title="New model" onClose=${onClose}><form onSubmit=${submit} novalidate>
    <${Field} label="Name" value=${name} onInput=${setName} required autofocus
      hint="As tasks name it." error=${faults.name} />
    <${Field} label="API" type="select" value=${api} onInput=${setApi} choices=${APIS}
      hint=${API_HINT} error=${faults.api} />
    ${FIELDS.map(({ field, label, hint, placeholder }) => html`<${Field} key=${field.name}
      label=${label} hint=${hint} placeholder=${placeholder} error=${faults[field.name]}
      type=${field.kind === 'integer' ? 'integer' : 'text'} value=${texts[field.name] ?? ''}
      onInput=${(/** @type {string} */ text) => setTexts({ ...texts, [field.name]: text })} />`)}
    <p class="muted">It joins the route <b>any</b>, too.</p>
    <${FormError} error=${error} />
    <p class="form-end"><button type="submit" class="primary"
      disabled=${isBusy || name.trim() === ''}>Make it</button></p></form><//>`;
}
