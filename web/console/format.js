// Numbers, money, durations and times as people read them. Nothing here touches the page.

const grouped = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const NONE = '–';

/** @param {unknown} value */
const isMissing = (value) => value === null || value === undefined || value === '';

/** 1234567 → "1,234,567"; an integer that came as a string keeps all its digits.
 * @param {number | string | bigint | null | undefined} value */
export function count(value) {
  if (isMissing(value)) return NONE;
  if (typeof value === 'string' && /^-?\d+$/.test(value)) return grouped.format(BigInt(value));
  const number = typeof value === 'bigint' ? value : Number(value);
  return Number.isNaN(number) ? String(value) : grouped.format(number);
}

/** 12345 → "12.3k": for places where four characters are enough.
 * @param {number | string | null | undefined} value */
export function compact(value) {
  if (isMissing(value)) return NONE;
  const number = Number(value);
  if (!Number.isFinite(number)) return String(value);
  const size = Math.abs(number);
  if (size < 10_000) return Number.isInteger(number) ? count(number) : significant(number, 3);
  const units = ['k', 'M', 'G', 'T', 'P', 'E'];
  let scaled = number;
  let unit = -1;
  while (Math.abs(scaled) >= 999.5 && unit < units.length - 1) {
    scaled /= 1000;
    unit += 1;
  }
  return significant(scaled, 3) + units[unit];
}

/** At most that many significant digits, and no trailing zeros.
 * @param {number} number
 * @param {number} digits */
export function significant(number, digits) {
  if (number === 0) return '0';
  return new Intl.NumberFormat('en', { maximumSignificantDigits: digits }).format(number);
}

/** A share of 1 as a percentage. @param {number | null | undefined} share */
export function percent(share) {
  if (share === null || share === undefined || !Number.isFinite(share)) return NONE;
  const value = share * 100;
  if (value > 0 && value < 0.1) return '<0.1\u00a0%';
  return (value !== 0 && Math.abs(value) < 10 ? significant(value, 2) : grouped.format(value))
    + '\u00a0%';
}

/** A cost: in the currency in which the models' prices are written, which nobody tells us.
 * @param {number | string | null | undefined} value */
export function money(value) {
  if (isMissing(value)) return NONE;
  const number = Number(value);
  if (!Number.isFinite(number)) return String(value);
  if (number === 0) return '0';
  if (Math.abs(number) < 0.01) return significant(number, 2);
  return new Intl.NumberFormat('en',
    { minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(number);
}

/** @param {number | string | null | undefined} value */
export function bytes(value) {
  if (isMissing(value)) return NONE;
  let size = Number(value);
  if (!Number.isFinite(size)) return String(value);
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return `${significant(size, 3)} ${units[unit]}`;
}

/** Seconds: "320 ms", "4.2 s", "3 min 20 s", "2 h 5 min", "3 d 4 h".
 * @param {number | string | null | undefined} value
 * @returns {string} */
export function duration(value) {
  if (isMissing(value)) return NONE;
  const seconds = Number(value);
  if (!Number.isFinite(seconds)) return String(value);
  if (seconds < 0) return '−' + duration(-seconds);
  if (seconds === 0) return '0 s';
  if (seconds < 0.9995) return `${significant(seconds * 1000, seconds < 0.01 ? 2 : 3)} ms`;
  if (seconds < 59.95) return `${significant(seconds, seconds < 10 ? 2 : 3)} s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return pair(whole, 60, 'min', 's');
  if (whole < 86_400) return pair(Math.round(whole / 60), 60, 'h', 'min');
  return pair(Math.round(whole / 3600), 24, 'd', 'h');
}

/** In one unit: "29 min", "1.1 h". @param {number | string | null | undefined} value */
export function shortDuration(value) {
  const seconds = Number(value);
  if (isMissing(value) || !(seconds >= 59.95)) return duration(value);
  if (seconds < 3570) return `${significant(seconds / 60, 2)} min`;
  if (seconds < 2 * 86_400) return `${significant(seconds / 3600, 2)} h`;
  return `${significant(seconds / 86_400, seconds < 864_000 ? 2 : 3)} d`;
}

/** @param {number} value @param {number} base @param {string} large @param {string} small */
function pair(value, base, large, small) {
  const rest = value % base;
  return `${count(Math.floor(value / base))} ${large}` + (rest ? ` ${rest} ${small}` : '');
}

/** A moment of the API: a time with zone, or seconds since 1970. Null for none and for infinity.
 * @param {string | number | Date | null | undefined} value
 * @returns {Date | null} */
export function moment(value) {
  if (isMissing(value)) return null;
  const date = value instanceof Date ? value
    : typeof value === 'number' ? new Date(value * 1000)
    // PostgreSQL's text has a space, and a zone of hours alone; browsers want neither.
    : new Date(String(value).replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00'));
  return Number.isNaN(date.getTime()) ? null : date;
}

/** @param {number} number */
const two = (number) => String(number).padStart(2, '0');
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** In the reader's zone: the time of day if it is today, else the day before it.
 * @param {Date} date
 * @param {{now?: Date, withSeconds?: boolean}} [options] */
export function localTime(date, { now = new Date(), withSeconds = true } = {}) {
  const clock = `${two(date.getHours())}:${two(date.getMinutes())}`
    + (withSeconds ? `:${two(date.getSeconds())}` : '');
  if (date.toDateString() === now.toDateString()) return clock;
  const day = `${date.getDate()} ${MONTHS[date.getMonth()]}`;
  return date.getFullYear() === now.getFullYear() ? `${day} ${clock}`
    : `${day} ${date.getFullYear()} ${clock}`;
}

/** The day in the reader's zone. @param {Date} date */
export function localDay(date) {
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** "2026-11-25 14:32:10.123 UTC" @param {Date} date */
export function utcTime(date) {
  return date.toISOString().replace('T', ' ').replace('.000', '').replace('Z', ' UTC');
}

/** "12 s ago", "in 3 min" @param {Date} date @param {Date} [now] */
export function ago(date, now = new Date()) {
  const seconds = (now.getTime() - date.getTime()) / 1000;
  const size = Math.abs(seconds);
  if (size < 1) return 'now';
  const text = size < 60 ? `${Math.floor(size)} s`
    : size < 3600 ? `${Math.floor(size / 60)} min`
    : size < 2 * 86_400 ? `${Math.floor(size / 3600)} h`
    : `${Math.floor(size / 86_400)} d`;
  return seconds > 0 ? `${text} ago` : `in ${text}`;
}

/** A value of a setting as it is shown and typed: null is empty, a list has commas.
 * @param {unknown} value */
export function settingText(value) {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** @param {number | string} number @param {string} one @param {string} [many] */
export function plural(number, one, many = one + 's') {
  return `${count(number)} ${Number(number) === 1 ? one : many}`;
}
