// The shapes of what the API answers about tasks, jobs and batches. 64-bit numbers are text.

/**
 * @typedef {object} Task
 * @property {string} id
 * @property {string} status
 * @property {string | null} route
 * @property {string | null} model
 * @property {string} tenant
 * @property {number} priority
 * @property {number} attempts
 * @property {string | null} error_code
 * @property {string | null} error
 * @property {string | null} batch_id
 * @property {Record<string, unknown> | null} metadata
 * @property {string} created_at
 * @property {string | null} queued_at
 * @property {string | null} started_at
 * @property {string | null} finished_at
 * @property {string | null} run_at
 * @property {string | null} deadline
 * @property {number | null} cost
 * @property {number | null} input_tokens
 * @property {number | null} output_tokens
 */

/**
 * A page of the search.
 * @typedef {object} Found
 * @property {Array<Task>} data
 * @property {number | null} looked_at null: for a tenant's key
 * @property {string | null} next_before
 * @property {boolean} is_complete
 */

/**
 * @typedef {object} TaskEvent
 * @property {string} at
 * @property {string} kind
 * @property {string | null} [status] of an end that stands
 * @property {string | null} [model]
 * @property {string | null} [worker]
 * @property {string | number | null} [fence]
 * @property {number | null} [wait_s]
 * @property {number | null} [call_s]
 * @property {number | null} [http_status]
 * @property {string | null} [error_code]
 * @property {string | null} [error]
 * @property {number | null} [input_tokens]
 * @property {number | null} [output_tokens]
 * @property {boolean | null} [billed]
 * @property {number | null} [cost]
 */

/**
 * @typedef {object} Life
 * @property {Task} task
 * @property {TaskEvent[]} events
 * @property {string | null} explain
 * @property {string | null} trace_id
 * @property {string | null} trace_url
 */

/**
 * @typedef {object} Job
 * @property {string} id
 * @property {string} action
 * @property {Record<string, any>} filter
 * @property {string | null} to
 * @property {number | null} priority
 * @property {string} state
 * @property {number | null} matched
 * @property {boolean} is_estimate
 * @property {number} done
 * @property {number} skipped
 * @property {number} undone
 * @property {string} created_at
 * @property {string | null} started_at
 * @property {string | null} finished_at
 * @property {string | null} who
 * @property {string | null} error
 * @property {boolean} can_undo
 */

/**
 * @typedef {object} Batch
 * @property {string} id
 * @property {string} endpoint
 * @property {{data: Array<{code: string, line: number | null, message: string,
 *   param: string | null}>} | null} errors
 * @property {string | null} input_file_id null: of a message batch
 * @property {string} completion_window
 * @property {string} status
 * @property {string | null} output_file_id
 * @property {string | null} error_file_id
 * @property {number} created_at
 * @property {number | null} in_progress_at
 * @property {number} expires_at
 * @property {number | null} finalizing_at
 * @property {number | null} completed_at
 * @property {number | null} failed_at
 * @property {number | null} expired_at
 * @property {number | null} cancelling_at
 * @property {number | null} cancelled_at
 * @property {{ total: number, completed: number, failed: number }} request_counts
 * @property {Record<string, string> | null} metadata
 * @property {string | null} [results_path] of a message batch that has some
 */

/**
 * As Anthropic's API shows it, and how far it is.
 * @typedef {object} MessageBatch
 * @property {string} id
 * @property {string} processing_status
 * @property {{processing: number, succeeded: number, errored: number, canceled: number,
 *   expired: number}} request_counts
 * @property {{total: number, completed: number, failed: number,
 *   in_progress_at: string | null}} progress
 * @property {string} created_at
 * @property {string} expires_at
 * @property {string | null} ended_at
 * @property {string | null} cancel_initiated_at
 * @property {string | null} results_url
 */

/**
 * @typedef {object} Group
 * @property {string | null} model
 * @property {string | null} error_code
 * @property {string | null} message without its numbers, ids and quoted parts
 * @property {number} count
 * @property {string} first_at
 * @property {string} last_at
 * @property {string} sample_id
 */

export {};
