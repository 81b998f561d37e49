// Costs of models without a price: these are 0, and say so.
import { html, useMemo } from '../../html.js';
import { useApi } from '../../api.js';
import { link } from '../../router.js';
import { can, isBound, useSession } from '../../session.js';
import { plural } from '../../format.js';
import { Money } from '../../components/index.js';

const NAMED_MAX = 3;
const LIST = new Intl.ListFormat('en');

/** The names of models and routes, and which of these models have no price.
 * @returns {{names: Array<string>, unpriced: Set<string>}} */
export function useModels() {
  /** @type {Loaded<List<{id: string, has_price: boolean | null}>>} */
  const models = useApi('v1/models');
  return useMemo(() => {
    const all = models.data?.data ?? [];
    return { names: all.map(({ id }) => id),
      unpriced: new Set(all.filter((one) => one.has_price === false).map(({ id }) => id)) };
  }, [models.data]);
}

/** Where the price of a model is set; for who may not set it, its name alone.
 * @param {{model: string, children: any}} props */
function PriceLink({ model, children }) {
  const session = useSession();
  if (!can(session, 'admin') || isBound(session)) return children;
  return html`<a href=${link(['models', model], { view: 'settings' })}
    title="Set its input_price and output_price">${children}</a>`;
}

/** What a model's tokens cost; of one without a price, that it has none.
 * @param {{value: any, model: string | null, unpriced: Set<string>}} props */
export function Cost({ value, model, unpriced }) {
  return model !== null && Number(value) === 0 && unpriced.has(model)
    ? html`<${PriceLink} model=${model}><span class="muted">no price set</span><//>`
    : html`<${Money} value=${value} />`;
}

/** Which models of a sum have no price. @param {{models: Array<string>}} props */
export function UnpricedNote({ models }) {
  if (models.length === 0) return null;
  const more = models.length - NAMED_MAX;
  const named = models.slice(0, NAMED_MAX);
  if (more > 0) named.push(plural(more, 'more model'));
  return html`<p class="muted">No price is set for ${LIST.formatToParts(named).map((part, index) =>
    (part.type === 'element' && models.includes(part.value)
      ? html`<${PriceLink} key=${index} model=${part.value}>${part.value}<//>` : part.value))}:
    ${' '}${models.length === 1 ? 'its' : 'their'} tokens cost 0 here.</p>`;
}
