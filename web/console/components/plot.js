// A plot over time. uPlot, the largest file of the console, is loaded when the first one is shown.
import { html, useEffect, useMemo, useRef, useState } from '../html.js';
import { compact, localTime, utcTime } from '../format.js';
import { base } from '../router.js';

const HEIGHT_PX = 150;
/** Where the ticks of an axis of durations may lie, in seconds: whole minutes, not 1.67. */
export const DURATION_STEPS_S = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10,
  20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 21_600, 43_200, 86_400, 172_800, 432_000];

/** @typedef {{label: string, values: Array<number | null>, color?: number, fill?: boolean,
 *   dash?: boolean}} Series color: 1 to 6, of the style sheet's */

/** @param {{title: string, at: Array<number>, series: Array<Series>,
 *   format?: (value: number) => string, ticks?: (value: number) => string, height?: number,
 *   byDay?: boolean, isLoading?: boolean, steps?: Array<number>}} props
 *   at: in seconds; ticks: of the axis, where format is too long; byDay: of days of UTC, as bars;
 *   steps: how far ticks may be apart, instead of 1, 2, 2.5, 5, … */
export function Plot({ title, at, series, format = compact, ticks = format, height = HEIGHT_PX,
  byDay = false, isLoading = false, steps }) {
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const plot = useRef(/** @type {any} */ (null));
  const [uPlot, setLibrary] = useState(/** @type {any} */ (null));
  const [cursor, setCursor] = useState(/** @type {number | null} */ (null));
  const theme = useTheme();
  const shape = `${theme}|${series.map((one) => one.label).join()}|${height}|${byDay}`;
  const data = useMemo(() => [at, ...series.map((one) => one.values)], [at, series]);

  useEffect(() => {
    let isWanted = true;
    library().then((loaded) => { if (isWanted) setLibrary(() => loaded); });
    return () => { isWanted = false; };
  }, []);
  useEffect(() => {
    const element = box.current;
    if (!uPlot || !element) return undefined;
    const width = () => Math.max(element.clientWidth, 120);
    plot.current = new uPlot(options({ uPlot, element, series, ticks, height, width: width(),
      byDay, steps, onCursor: setCursor }), data, element);
    const observer = new ResizeObserver(() => plot.current?.setSize({ width: width(), height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.current?.destroy();
      plot.current = null;
    };
  }, [uPlot, shape]);
  useEffect(() => { plot.current?.setData(data); }, [data]);

  const isEmpty = !isLoading
    && !series.some((one) => one.values.some((value) => value !== null && value !== 0));
  return html`<figure class="plot">
    <figcaption><span class="plot-title">${title}</span>
      <${Legend} series=${series} at=${at} cursor=${cursor} format=${format} byDay=${byDay} />
    </figcaption>
    <div class="plot-box" ref=${box} role="img" aria-label=${summary(title, series, format)}></div>
    ${isEmpty && html`<p class="plot-empty">Nothing in this time.</p>`}
  </figure>`;
}

/** @type {Promise<any> | null} */
let loading = null;
function library() {
  loading ??= (async () => {
    const sheet = document.createElement('link');
    sheet.rel = 'stylesheet';
    sheet.href = `${base}vendor/uplot.css`;
    document.head.append(sheet);
    try {
      return (await import('../vendor/uplot.js')).default;
    } catch (error) {
      sheet.remove();
      loading = null;  // the next plot tries again
      throw error;
    }
  })();
  return loading;
}

/** What each line is, and its value under the pointer, else its last one.
 * @param {{series: Array<Series>, at: Array<number>, cursor: number | null,
 *   format: (value: number) => string, byDay: boolean}} props */
function Legend({ series, at, cursor, format, byDay }) {
  const when = cursor === null || at[cursor] === undefined ? null : new Date(at[cursor] * 1000);
  return html`<span class="legend">${series.map((one, index) => {
    const value = cursor === null ? lastOf(one.values) : one.values[cursor];
    return html`<span class="legend-one" key=${one.label}>
      <span class=${`legend-line color-${one.color ?? index + 1}`}></span>${one.label}
      ${' '}<b class="number">${value === null || value === undefined ? '–' : format(value)}</b>
    </span>`;
  })}${when && html`<time class="muted" title=${utcTime(when)}>${byDay ? utcTime(when).slice(0, 10)
    : localTime(when, { withSeconds: false })}</time>`}</span>`;
}

/** @param {Array<number | null>} values */
const lastOf = (values) => values.findLast((value) => value !== null) ?? null;

/** A plot in a sentence, for who does not see it.
 * @param {string} title
 * @param {Array<Series>} series
 * @param {(value: number) => string} format */
function summary(title, series, format) {
  return `${title}. ` + series.map((one) => {
    const known = /** @type {Array<number>} */ (one.values.filter((value) => value !== null));
    if (known.length === 0) return `${one.label}: no values`;
    return `${one.label}: ${format(Math.min(...known))} to ${format(Math.max(...known))}, `
      + `${format(/** @type {number} */ (known.at(-1)))} at the end`;
  }).join('; ');
}

/** @param {{uPlot: any, element: HTMLElement, series: Array<Series>, height: number, width: number,
 *   ticks: (value: number) => string, byDay: boolean, steps: Array<number> | undefined,
 *   onCursor: (index: number | null) => void}} what */
function options({ uPlot, element, series, ticks, height, width, byDay, steps, onCursor }) {
  const color = colorsOf(element);
  const axis = { stroke: color('--muted'), font: `11px ${getComputedStyle(element).fontFamily}`,
    grid: { stroke: color('--grid'), width: 1 }, ticks: { show: false }, gap: 4 };
  return {
    width, height,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 5 },
      sync: { key: 'console' } },
    padding: [8, 18, 0, 0],
    tzDate: (/** @type {number} */ second) => (byDay
      ? uPlot.tzDate(new Date(second * 1000), 'Etc/UTC') : new Date(second * 1000)),
    scales: { x: byDay ? { range: (/** @type {any} */ _plot, /** @type {number} */ min,
      /** @type {number} */ max) => [min - DAY_S / 2, max + DAY_S / 2] } : {},
        y: { range: (/** @type {any} */ _plot, /** @type {number} */ _min,
      /** @type {number} */ max) => [0, max > 0 ? max * 1.05 : 1] } },
    axes: [
      { ...axis, size: 22, space: 64,
        values: (/** @type {any} */ _plot, /** @type {Array<number>} */ splits) =>
          timeTicks(splits, byDay) },
      { ...axis, size: 52, space: 28, ...(steps && { incrs: steps }),
        values: (/** @type {any} */ _plot, /** @type {Array<number>} */ splits) =>
          splits.map((value) => (ticks === compact && !Number.isInteger(value) ? ''
            : ticks(value))) },
    ],
    series: [{}, ...series.map((one, index) => {
      const stroke = color(`--plot-${one.color ?? index + 1}`);
      const isBars = byDay && one.fill;
      return { label: one.label, stroke, width: isBars ? 0 : 1.5, spanGaps: false,
        points: { show: !isBars, size: 4, filter: byDay ? undefined : lonely },
        dash: one.dash ? [4, 3] : undefined,
        paths: isBars ? uPlot.paths.bars({ size: [0.7, 48] }) : undefined,
        fill: isBars ? stroke : one.fill ? stroke.replace(/^rgb\((.*)\)$/, 'rgb($1, 0.14)')
          : undefined };
    })],
    hooks: { setCursor: [(/** @type {any} */ plot) => onCursor(plot.cursor.idx ?? null)] },
  };
}

/** Points with no neighbour to draw a line to: without a dot nothing of them would be seen.
 * @param {any} plot @param {number} index of the series @returns {Array<number>} */
function lonely(plot, index) {
  const values = plot.data[index];
  const isNone = (/** @type {number} */ at) => (values[at] ?? null) === null;
  return values.flatMap((/** @type {unknown} */ _, /** @type {number} */ at) =>
    (!isNone(at) && isNone(at - 1) && isNone(at + 1) ? [at] : []));
}

/** Colours of the style sheet as a canvas understands them: light-dark() and var() resolved.
 * @param {HTMLElement} element */
function colorsOf(element) {
  return (/** @type {string} */ name) => {
    element.style.color = `var(${name})`;
    const { color } = getComputedStyle(element);
    element.style.color = '';
    return color;
  };
}

const DAY_S = 86_400;
/** Hours, or days where they are apart by days.
 * @param {Array<number>} splits
 * @param {boolean} byDay of UTC */
function timeTicks(splits, byDay) {
  const isApart = splits.length > 1 && splits[1] - splits[0] >= DAY_S;
  return splits.map((at) => {
    const date = new Date(at * 1000);
    if (byDay) {
      return date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
    }
    if (isApart || (date.getHours() === 0 && date.getMinutes() === 0)) {
      return date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' });
    }
    return localTime(date, { now: date, withSeconds: false });
  });
}

/** Which theme is shown: a canvas does not follow the style sheet by itself. */
function useTheme() {
  const dark = useMemo(() => matchMedia('(prefers-color-scheme: dark)'), []);
  const read = () => document.documentElement.dataset.theme ?? (dark.matches ? 'dark' : 'light');
  const [theme, setTheme] = useState(read);
  useEffect(() => {
    const update = () => setTheme(read());
    const observer = new MutationObserver(update);
    observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    dark.addEventListener('change', update);
    return () => {
      observer.disconnect();
      dark.removeEventListener('change', update);
    };
  }, [dark]);
  return theme;
}
