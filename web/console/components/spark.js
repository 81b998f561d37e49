// A sparkline: the last hour in the width of a word.
import { html, useMemo } from '../html.js';
import { count } from '../format.js';

const WIDTH = 90;
const HEIGHT = 22;

/** @param {{values: Array<number | null> | null | undefined, label: string}} props */
export function Spark({ values, label }) {
  const path = useMemo(() => (values && values.length > 1 ? pathOf(values) : null), [values]);
  if (!values || path === null) return html`<span class="muted" title="no history yet">–</span>`;
  const known = values.filter((value) => value !== null);
  const most = Math.max(...known, 0);
  const text = most === 0 ? `${label}: none`
    : `${label}: up to ${count(most)} a minute, ${count(known.at(-1) ?? 0)} in the last one`;
  return html`<svg class="spark" viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} width=${WIDTH} height=${HEIGHT}
    role="img" aria-label=${text}><title>${text}</title>
    <path class="spark-area" d=${`${path}L${WIDTH},${HEIGHT}L0,${HEIGHT}Z`} />
    <path class="spark-line" d=${path} /></svg>`;
}

/** @param {Array<number | null>} values */
function pathOf(values) {
  const most = Math.max(1, ...values.map((value) => value ?? 0));
  const step = WIDTH / (values.length - 1);
  return values.map((value, index) => {
    const y = HEIGHT - 1 - ((value ?? 0) / most) * (HEIGHT - 3);
    return `${index === 0 ? 'M' : 'L'}${(index * step).toFixed(1)},${y.toFixed(1)}`;
  }).join('');
}
