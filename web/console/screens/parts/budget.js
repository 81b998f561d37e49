// What the screens of budgets share.

/** A limit in whole units as nano-units, exactly; null: it is none.
 * @param {string} text */
export function inNanos(text) {
  const [, whole, decimals = ''] = /^(\d+)(?:\.(\d{1,9}))?$/.exec(text.trim()) ?? [];
  return whole === undefined ? null : BigInt(whole + decimals.padEnd(9, '0'));
}

/** @param {Budget} budget */
export const periodOf = ({ period, rolling, zone }) => (period === 'rolling' ? `last ${rolling}`
  : zone === 'UTC' ? period : `${period}, ${zone}`);

/** Why a task waits for it: a call may cost more than is left, however much that is.
 * @param {Budget} budget */
export const exhaustion = ({ spent, limit }) => (spent < limit ? 'no room for one more call'
  : 'exhausted');
