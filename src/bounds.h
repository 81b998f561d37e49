// Every bound of the worker with its unit and its reason, in one place. Bounds of the database are
// columns of sluice.settings and sluice.models; bounds of a single module are in that module.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice::bounds {

// A claim never returns more (sluice.claim says so itself): its answer must fit into a socket's
// buffer even while the worker is frozen, or it would hold the models' locks.
inline constexpr int claim_rows_max = 1000;

// sluice.recover takes no more leases back in one call (it says so itself): one that took so many
// is followed by another.
inline constexpr int64_t recovered_rows_max = 1000;

// Outcomes and bytes in one completion: large enough to amortise a commit, small enough to take 0.1
// s, for which other models' outcomes wait. A larger outcome goes alone, by another session.
inline constexpr size_t complete_rows_max = 1000;
inline constexpr size_t complete_bytes_max = size_t{4} << 20;

// Ids of finished tasks in one announcement: as many as a completion ends, three notifications.
inline constexpr size_t events_batch_max = 1000;
// Ids that wait for theirs: ten completions may end during a flush, whose successor takes a batch
// away; 80 kB.
inline constexpr size_t events_waiting_max = 10'000;

// Bodies in one statement, in bytes: few at first, so that their calls begin while the others are
// on their way (a permit is good for 200 ms); many later, for each statement costs 0.2 ms.
inline constexpr int64_t requests_bytes_min = int64_t{256} << 10;
inline constexpr int64_t requests_bytes_max = int64_t{4} << 20;

// How long the permit of a claim, or of an extra call, is good after it was asked for
// (sluice.send_within_min_ms); and at most, where a claim asks for more (send_within_max_ms).
inline constexpr int64_t send_within_ms = 200;
inline constexpr int64_t send_within_ms_max = 5'000;
// After a refusal: a permit, or the budget, may be there by then.
inline constexpr int64_t hedge_again_ms = 100;
// Extra calls asked for in one statement, which has their models' locks.
inline constexpr size_t hedges_max = 100;
// A worker remembers so many of each model's last calls, and counts how many of them were extra.
inline constexpr size_t hedge_window_calls = 1000;
// That count is at most so many times hedge_budget, also while the budget that all models share has
// room: three shares are enough for the chance in 100 calls at 8 %, and few enough that no model
// spends all that the others save.
inline constexpr int hedge_shares_max = 3;

// Prompts of one batch in bytes, unless a single one is larger: a quarter of an answer's bound, for
// a batch that fails is sent again.
inline constexpr size_t batch_bytes_max = size_t{8} << 20;
// A batch goes at least so long before the first permit in it is forfeited: the loop may be busy, a
// connection must be made.
inline constexpr int64_t batch_send_margin_ms = 100;

// An outcome that the database refuses is tried again after a pause that grows to this: so long the
// others wait at most when the reason is gone.
inline constexpr int64_t aside_pause_ms_max = 5'000;

// A backend's answer. Longer ones end the call: nobody's memory is for a backend to fill.
inline constexpr size_t response_bytes_max = size_t{32} << 20;

// Of a worker's 400 slots each may have 320 KiB of answer; a usual one has 10. At least two answers
// of the largest size, and a part for the small ones.
inline constexpr int64_t answer_memory_bytes_default = int64_t{256} << 20;
inline constexpr int64_t answer_memory_bytes_least = int64_t{128} << 20;
// An answer is held twice: its bytes as they came, and the text taken out of them.
inline constexpr int64_t answer_copies = 2;

// Of a worker's 400 slots each may have 640 KiB of request on its way. At least one request of the
// largest size (settings.request_bytes_max as it comes), and as much again for the others.
inline constexpr int64_t request_memory_bytes_default = int64_t{256} << 20;
inline constexpr int64_t request_memory_bytes_least = int64_t{64} << 20;
// It is kept once, and escaped on its way.
inline constexpr int64_t request_copies = 1;
// A request up to this size waits for no memory and is not counted: it is what a claim's answer may
// carry (5_lifecycle/claim_answer.sql). All slots together then hold 25 MiB.
inline constexpr int64_t request_small_bytes_max = int64_t{64} << 10;
// Larger ones that are fetched at a time, unless a single one is larger: what is cancelled
// meanwhile comes in vain.
inline constexpr int64_t large_requests_bytes_max = int64_t{4} << 20;
// The session that fetches them is kept so long for the next: longer than the permits of a model
// come apart, for one may have passed when the session is there. So is that of large outcomes.
inline constexpr int64_t large_session_idle_ms = 120'000;
// If there can be none, they go by the session of the small ones for so long.
inline constexpr int64_t large_session_retry_ms = 60'000;
// A large outcome that was not stored is tried again after a pause that grows to this.
inline constexpr int64_t large_pause_ms_max = 5'000;

// More memory is a slip of the pen.
inline constexpr int64_t memory_bytes_most = int64_t{1} << 40;

// Longest error text in a row or a log line.
inline constexpr size_t error_bytes_max = 1000;

// Calls in flight in one process, but for urgent ones: file descriptors and memory are planned for
// this.
inline constexpr int slots_max = 10000;

// Between two rounds of attempts to reach the database: a pause with full jitter between base and
// max.
inline constexpr int64_t reconnect_pause_ms_base = 100;
inline constexpr int64_t reconnect_pause_ms_max = 5'000;

// Beside its slots a worker has some for urgent tasks (priority above 0) alone, so that they wait
// for nobody's answer: one for so many slots, and at least one.
inline constexpr int slots_per_urgent_slot = 32;
// How often it looks for them while it has no slot for others: half of a pickup of 50 ms.
inline constexpr int64_t urgent_look_interval_ms = 25;

// The slow poll behind every notification, and how often another worker tries to become the
// watcher.
inline constexpr int64_t look_interval_ms = 1'000;
// Looks for jobs whose notification was lost, or never sent; steps come as the database says.
inline constexpr int64_t jobs_look_interval_ms = 5'000;
// Rounds of retention that remove nothing: it has an hour or a tenth of settings.retention.
inline constexpr int64_t retention_interval_ms = 60'000;
// Looks at what has ended, for the history. With the 10 s between two looks of any workers
// (sluice.keep_history) less than sleep_after_ms: nobody falls asleep before its last call counts.
inline constexpr int64_t history_interval_ms = 45'000;
// How long the watcher sleeps while it holds all its sleeper locks: who makes a task ready tells
// it, and the timers are its own. Then it looks once more, in case a notification was lost.
inline constexpr int64_t idle_look_interval_ms = 15'000;

// A worker that has had nothing to do for so long, or for settings.idle_look if that is shorter,
// asks whether it may sleep: longer than the pauses of somebody who works, for waking costs a
// heartbeat.
inline constexpr int64_t sleep_after_ms = 60'000;
// How often a worker that sleeps asks for a round of retention: that has an hour or a tenth of
// settings.retention.
inline constexpr int64_t retention_interval_asleep_ms = 600'000;

// After a session was lost the worker reads again what it holds, at first after so long, then after
// twice as long each time: the server may still run a claim of that session, for as long as a lock
// or its disk makes it wait.
inline constexpr int64_t reread_again_ms_min = 60'000;
inline constexpr int64_t reread_again_ms_max = 32 * reread_again_ms_min;

// How often a worker asks for a sweep while that says that it rests, and nobody wakes the worker.
inline constexpr int64_t sweep_interval_idle_ms = 5'000;
// An answer of the listening session that takes longer: it may be mute, so poll. Longer still: give
// it up for a new one (TCP itself would notice after 25 s).
inline constexpr int64_t listen_silence_ms_min = 2'000;
inline constexpr int64_t listen_silence_ms_max = 5'000;
// Wake-ups closer to each other than this are those of a busy queue: its submitters need not
// notify. At 200 a second commits that notify hold PostgreSQL's lock for that while they wait for
// the disk, a third of the time.
inline constexpr int64_t busy_gap_ms = 5;
// A claim that took less has not ended early (sluice.claim_long).
inline constexpr int64_t claim_long_ms = 20;
// For how long models do not share errors after a claim that failed. Then a claim tries again, and
// the error is logged anew.
inline constexpr int64_t claims_apart_ms = 10'000;
// A claim that takes longer has probably much to bring: the watcher drops its locks.
inline constexpr int64_t keep_locks_ms = 20;
// How long the watcher waits with its look after a claim that woke it: until the calls are written
// and an answer that comes at once is stored.
inline constexpr int64_t look_after_claim_ms = 5;
// The same where nothing had waited, from the first claim on: at 100 wake-ups a second a look after
// each was a quarter of the worker's SQL.
inline constexpr int64_t look_after_claims_ms = 100;
// Of how many models a worker keeps apart what it was notified of; of more it is for all. Whoever
// may connect can notify, and each number is looked for among the others.
inline constexpr size_t notified_models_max = 64;
// While a submitter's open transaction keeps a sleeper lock from us, or a claim came back empty
// although there is work.
inline constexpr int64_t look_again_ms_min = 1;
inline constexpr int64_t look_again_ms_max = 250;
// At most so long while only such a lock is missing, or 20 times as long as a look takes: nobody
// notifies meanwhile, so others' tasks wait for the next look (255 ms of them, so 20).
inline constexpr int64_t look_again_ms_locked = 16;
inline constexpr int64_t look_again_times = 20;

// Finished spans that wait for their way to the collector: some seconds of a busy worker, 8 MB.
inline constexpr size_t spans_waiting_max = 8192;
// Spans of one request (OpenTelemetry's default): about 400 kB of JSON, made in a millisecond.
inline constexpr size_t spans_batch_max = 512;
// How long a span waits for others at most, and how long a collector may take (both OpenTelemetry's
// defaults); its answer says nothing that we use.
inline constexpr int64_t spans_interval_ms = 5'000;
inline constexpr int64_t spans_timeout_ms = 10'000;
inline constexpr int64_t spans_response_bytes_max = 65'536;
// How long a worker or server that has drained stays for its last spans.
inline constexpr int64_t spans_finish_ms = 2'000;

// How often a worker that serves metrics asks how late its event loop is: 10 wake-ups a second are
// nothing beside calls, and half of what an idle process costs; so that one asks less often.
inline constexpr int64_t lag_interval_ms = 100;
inline constexpr int64_t lag_interval_idle_ms = 2'000;

// How long the unregistering of a leaving worker may take before it leaves without (others recover
// its leases).
inline constexpr int64_t leave_timeout_ms = 5'000;

}  // namespace sluice::bounds
