// A batch of Anthropic's API in the shape of OpenAI's, which the screen shows. Nothing here touches
// the page.

/** @typedef {import('./types.js').Batch} Batch */
/** @typedef {import('./types.js').MessageBatch} MessageBatch */

/** @param {string | null} at */
const secondsOf = (at) => (at === null ? null : Date.parse(at) / 1000);

/** @param {MessageBatch} batch
 * @returns {Batch} */
export function asBatch(batch) {
  const { request_counts: counts, progress } = batch;
  const status = batch.processing_status === 'ended'
    ? (counts.canceled > 0 ? 'cancelled' : counts.expired > 0 ? 'expired' : 'completed')
    : batch.processing_status === 'canceling' ? 'cancelling' : 'in_progress';
  const ended = secondsOf(batch.ended_at);
  return {
    id: batch.id, status, endpoint: '/v1/messages', errors: null, metadata: null,
    input_file_id: null, output_file_id: null, error_file_id: null, completion_window: '24h',
    request_counts: progress,
    created_at: secondsOf(batch.created_at) ?? 0,
    in_progress_at: secondsOf(progress.in_progress_at),
    expires_at: secondsOf(batch.expires_at) ?? 0,
    finalizing_at: null, failed_at: null,
    completed_at: status === 'completed' ? ended : null,
    expired_at: status === 'expired' ? ended : null,
    cancelled_at: status === 'cancelled' ? ended : null,
    cancelling_at: secondsOf(batch.cancel_initiated_at),
    results_path: batch.results_url && `v1/messages/batches/${batch.id}/results`,
  };
}

/** @param {string} id */
export const isOfMessages = (id) => id.startsWith('msgbatch_');
