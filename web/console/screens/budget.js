// One budget: how it stands, its settings and how they were changed.
import { html } from '../html.js';
import { act, useApi } from '../api.js';
import { encodePart, go, link } from '../router.js';
import { money } from '../format.js';
import { Bar, Count, Facts, Page, State, Time, ask, toast } from '../components/index.js';
import { SettingsEditor } from '../components/settings.js';
import { exhaustion, inNanos, periodOf } from './parts/budget.js';
import { BUDGET_FIELDS, fieldsFor } from './parts/setting_fields.js';
import { Revisions } from './parts/revisions.js';
import { Tabs } from './parts/tabs.js';

/** What the server works out, and nobody sets. */
const FIGURES = ['name', 'limit_nanos', 'spent', 'held', 'left', 'window_from', 'opens_at',
  'waiting', 'marks_hit', 'exhausted_at'];

/** @param {ScreenProps} props */
export default function BudgetScreen({ params, query }) {
  const { name } = params;
  const view = query.view ?? '';
  const budget = useApi(`v1/budgets/${encodePart(name)}`);
  return html`<${Page} title=${name} note="Budget">
    <${Tabs} view=${view} views=${[['', 'Now'], ['settings', 'Settings'],
      ['revisions', 'Revisions']]} />
    ${view === 'revisions' ? html`<${Revisions} kind="budgets" name=${name} query=${query} />`
      : html`<${State} of=${budget} rows=${8}>${(/** @type {Budget} */ row) => (
        view === 'settings' ? html`<${Settings} key=${name} budget=${row} />`
          : html`<${Now} budget=${row} />`)}<//>`}<//>`;
}

/** @param {{budget: Budget}} props */
const Now = ({ budget }) => html`<section class="panel">
  <${Bar} value=${budget.spent} limit=${budget.limit} tone="load" label="Spent" write=${money}
    extra=${budget.held} extraLabel="held" />
  <${Facts} rows=${[['Spent', money(budget.spent)],
    ['Held by calls under way', money(budget.held)], ['Left', money(budget.left)],
    ['Each', periodOf(budget)],
    ['Next window', budget.opens_at && html`<${Time} at=${budget.opens_at} />`],
    ['Tasks that wait', html`<${Count} value=${budget.waiting} />`],
    ['Marks reached', budget.marks_hit.length > 0
      && budget.marks_hit.map((mark) => `${mark} %`).join(', ')],
    ['State', budget.exhausted_at && html`${exhaustion(budget)} since <${Time}
      at=${budget.exhausted_at} />`]]} />
</section>`;

/** @param {{budget: Budget}} props */
function Settings({ budget }) {
  const path = `v1/budgets/${encodePart(budget.name)}`;
  return html`<${SettingsEditor} title=${budget.name} values=${budget}
    groups=${fieldsFor(BUDGET_FIELDS, budget, FIGURES)}
    save=${(/** @type {Record<string, any>} */ { limit, marks, ...others }) =>
      act('PATCH', path, { ...others,
        ...(limit === undefined ? {} : { limit_nanos: inNanos(limit) }),
        ...(marks === undefined ? {} : { marks: marks.map(Number) }) })} />
    <p class="form-end"><button type="button" class="danger-quiet"
      onClick=${() => remove(budget.name, path)}>Delete it…</button></p>`;
}

/** @param {string} name @param {string} path */
async function remove(name, path) {
  const isDone = await ask({ title: `Delete ${name}?`, action: 'Delete it', danger: true,
    body: html`<p>Tasks that it kept waiting go on. What calls have cost under it is forgotten, also
      if it is made again.</p>`, run: () => act('DELETE', path) });
  if (!isDone) return;
  toast(`${name} is deleted.`);
  go(link('budgets'));
}
