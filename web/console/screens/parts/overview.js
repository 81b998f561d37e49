// Rows of models as the stream changes them, and states of workers. Nothing here touches the page.

/** The rows that changed take the place of those that were; the others stay the same objects, and
 * are not drawn again.
 * @param {List<Overview>} list
 * @param {List<Overview> & {gone?: Array<string>}} payload */
export function mergeOverview(list, { data: changed, gone = [] }) {
  const news = new Map(changed.map((row) => [row.model, row]));
  const data = list.data.filter((row) => !gone.includes(row.model)).map((row) => {
    const next = news.get(row.model);
    news.delete(row.model);
    return next ? { ...row, ...next, ...wordsKept(row, next) } : row;
  });
  return { ...list, data: [...data, ...news.values()] };
}

/** The stream is the same for every key, so it leaves out what a backend said; to an administrator
 * GET tells it, and it holds while the model stays closed.
 * @param {Overview} row @param {Overview} next */
function wordsKept(row, next) {
  const isSame = ['parked', 'closed'].includes(next.state) && next.state === row.state
    && next.state_until === row.state_until;
  return isSame && { state_reason: row.state_reason, why: row.why };
}

/** A worker's state in a word: one that said that it ended was seen then, at the last.
 * @param {{alive: boolean, seen: string, dead_at: string | null}} worker */
export function workerState({ alive, seen, dead_at: dead }) {
  if (alive) return 'alive';
  if (dead === null) return 'silent';
  return seen === dead ? 'ended' : 'dead';
}
