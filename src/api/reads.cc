#include "api/reads.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <utility>

namespace sluice {
namespace {

constexpr int64_t look_interval_ns = ns_per_s;
constexpr int64_t first_look_interval_ns = 100 * ns_per_ms;  // until it has been trusted once
constexpr int64_t awake_ns = 15 * ns_per_s;  // after somebody asked: longer than between two probes
constexpr int64_t rest_ns = 60 * ns_per_s;
constexpr int64_t fresh_ns = 3 * look_interval_ns;  // so long a look counts
constexpr int64_t silence_ns_max = 2 * ns_per_s;    // then the standby is said not to answer
// After a fault: longer than a restart, shorter than anybody's patience.
constexpr int64_t distrust_ns = 10 * ns_per_s;
// A quarter of an hour's. While there are so many that the standby has not seen, no more are kept.
constexpr size_t samples_max = 1'000;

// The first transaction that a snapshot of now would not see.
constexpr const char* primary_sql = "select pg_snapshot_xmax(pg_current_snapshot())::text::bigint";
constexpr const char* standby_sql =
    "select pg_is_in_recovery(), pg_snapshot_xmax(pg_current_snapshot())::text::bigint,"
    " m.version, (to_jsonb(m) ->> 'serves_from')::int from (select) one"
    " left join (select * from sluice.migration order by version desc limit 1) m on true";

// One is left to the server's own statements.
PgPoolLimits limits_of(const StandbyOptions& options) {
  return {.kept = 2, .max = options.db_connections + 1};
}

}  // namespace

// Puts a statement among those whose waiters are told of a distrust, for as long as one waits.
class Reads::Listed {
 public:
  Listed(Reads& reads, std::shared_ptr<Asked> asked) : reads_(reads), asked_(std::move(asked)) {
    place_ = reads_.waited_for_.insert(reads_.waited_for_.end(), asked_);
  }
  ~Listed() {
    asked_->requester = nullptr;
    reads_.waited_for_.erase(place_);
  }
  Listed(const Listed&) = delete;
  Listed& operator=(const Listed&) = delete;

 private:
  Reads& reads_;
  std::shared_ptr<Asked> asked_;
  std::list<std::shared_ptr<Asked>>::iterator place_;
};

Co<void> Reads::keep(std::shared_ptr<Asked> asked, Co<Result<PgResult>> reply) {
  Result<PgResult> rows = co_await std::move(reply);
  asked->rows.emplace(std::move(rows));
  asked->decided.raise();
}

Reads::Reads(Loop& loop, Clock& clock, PgPool& primary, const StandbyOptions& options,
             SchemaRange known_schemas)
    : clock_(clock),
      primary_(primary),
      lag_ns_max_(options.lag_ms_max * ns_per_ms),
      known_schemas_(known_schemas) {
  if (options.servers == nullptr) return;
  standby_ = std::make_unique<PgPool>(loop, clock, *options.servers, limits_of(options));
  looks_ = std::make_unique<PgPool>(loop, clock, *options.servers, PgPoolLimits());
  asked_ns_ = clock.now_ns();
  coroutines_.spawn(keep_looking());
}

bool Reads::uses_standby() const {
  return standby_ != nullptr && fault_.empty() && clock_.now_ns() - looked_ns_ <= fresh_ns &&
         standby_->is_connected() && standby_->breaker().state() != DatabaseBreaker::State::open;
}

void Reads::wake() {
  asked_ns_ = clock_.now_ns();
  if (resting_) woken_.raise();
}

Co<Result<PgResult>> Reads::query(Requester requester, std::string sql, PgParams params) {
  wake();
  if (uses_standby()) {
    const auto asked = std::make_shared<Asked>();
    asked->requester = &requester;
    Requester theirs(requester.key);
    theirs.is_awaited = [asked] {
      return asked->requester != nullptr && asked->requester->is_awaited();
    };
    Co<Result<PgResult>> reply = standby_->query(std::move(theirs), sql, params);
    Co<std::optional<Result<PgResult>>> answer = from_standby(asked, std::move(reply));
    std::optional<Result<PgResult>> rows = co_await std::move(answer);
    if (rows) co_return std::move(*rows);
  }
  if (has_standby()) ++answered_by_primary_;
  Co<Result<PgResult>> reply =
      primary_.query(std::move(requester), std::move(sql), std::move(params));
  co_return co_await std::move(reply);
}

Co<Result<PgResult>> Reads::query(PgPool& primary, std::string sql, PgParams params) {
  return ask(&PgPool::query, primary, std::move(sql), std::move(params));
}

Co<Result<PgResult>> Reads::query_unguarded(PgPool& primary, std::string sql, PgParams params) {
  return ask(&PgPool::query_unguarded, primary, std::move(sql), std::move(params));
}

Co<Result<PgResult>> Reads::ask(Ask how, PgPool& primary, std::string sql, PgParams params) {
  wake();
  if (uses_standby()) {
    Co<Result<PgResult>> reply = (*standby_.*how)(sql, params);
    Co<std::optional<Result<PgResult>>> answer =
        from_standby(std::make_shared<Asked>(), std::move(reply));
    std::optional<Result<PgResult>> rows = co_await std::move(answer);
    if (rows) co_return std::move(*rows);
  }
  if (has_standby()) ++answered_by_primary_;
  Co<Result<PgResult>> reply = (primary.*how)(std::move(sql), std::move(params));
  co_return co_await std::move(reply);
}

// nullopt: the primary is to be asked.
Co<std::optional<Result<PgResult>>> Reads::from_standby(std::shared_ptr<Asked> asked,
                                                        Co<Result<PgResult>> reply) {
  const Listed listed(*this, asked);
  coroutines_.spawn(keep(asked, std::move(reply)));
  co_await asked->decided.wait();
  if (!asked->rows) co_return std::nullopt;
  if (asked->rows->has_value() || !is_to_repeat(asked->rows->error())) {
    ++answered_by_standby_;
    co_return std::move(asked->rows);
  }
  const Error& error = asked->rows->error();
  const bool is_at_fault =
      error.action == Error::Action::reconnect && error.code != PgPool::not_sent;
  if (is_at_fault) distrust("failed");
  co_return std::nullopt;
}

// Whatever a standby may lack or cancel; what is wrong with the statement is wrong everywhere, and
// who asks for too much is not to ask the primary, too.
bool Reads::is_to_repeat(const Error& error) const {
  if (error.code.starts_with("SL") || error.code.starts_with("22")) return false;
  return error.code != PgPool::not_sent || error.action == Error::Action::reconnect ||
         standby_->breaker().state() == DatabaseBreaker::State::open;
}

Co<void> Reads::keep_looking() {
  while (true) {
    co_await look_at_primary();
    co_await look_at_standby();
    resting_ = clock_.now_ns() - asked_ns_ > awake_ns;
    if (resting_) forget_samples();
    const int64_t pause_ns = resting_          ? rest_ns
                             : looked_ns_ == 0 ? first_look_interval_ns
                                               : look_interval_ns;
    co_await woken_.wait_until(clock_, clock_.now_ns() + pause_ns);
    resting_ = false;
  }
}

Co<void> Reads::look_at_primary() {
  const int64_t begun_ns = clock_.now_ns();
  Co<Result<PgResult>> reply = primary_.query_unguarded(primary_sql, PgParams());
  const Result<PgResult> row = co_await std::move(reply);
  if (!row) co_return;
  is_ahead_ = seen_at_standby_ > row->int64(0, 0);
  if (samples_.size() < samples_max) samples_.push_back({row->int64(0, 0), begun_ns});
}

Co<void> Reads::look_at_standby() {
  if (looks_->is_starting() || standby_->is_starting()) co_return;
  if (look_ == nullptr || look_->rows) {
    look_ = std::make_shared<Asked>();
    coroutines_.spawn(keep(look_, looks_->query_unguarded(standby_sql, PgParams())));
    co_await look_->decided.wait_until(clock_, clock_.now_ns() + silence_ns_max);
  }
  if (!look_->rows) {
    distrust("does not answer");
  } else if (look_->rows->has_value()) {
    judge(**look_->rows);
  } else {
    distrust(look_->rows->error().code == PgPool::not_sent ? "cannot be reached" : "failed");
  }
}

// What is between two looks that are far apart tells no lag.
void Reads::forget_samples() {
  samples_.clear();
  has_kept_up_ = false;
}

void Reads::judge(const PgResult& row) {
  if (!row.boolean(0, 0)) return distrust("is no standby");
  SchemaFacts schema;
  if (!row.is_null(0, 2)) schema.version = static_cast<int>(row.int64(0, 2));
  if (!row.is_null(0, 3)) schema.serves_from = static_cast<int>(row.int64(0, 3));
  if (!schema_mismatch(schema, known_schemas_).empty()) return distrust("has another schema");
  seen_at_standby_ = row.int64(0, 1);
  if (is_ahead_) return distrust("has what the primary lacks: it followed another one");
  const int64_t behind_ns = lag_ns(seen_at_standby_);
  if (behind_ns > lag_ns_max_) {
    lag_s_ = static_cast<double>(behind_ns) / static_cast<double>(ns_per_s);
    return distrust(fmt::format("is {} s behind", behind_ns / ns_per_s));
  }
  if (!has_kept_up_) return;  // it may be far behind: the next looks tell
  lag_s_ = static_cast<double>(behind_ns) / static_cast<double>(ns_per_s);
  looked_ns_ = clock_.now_ns();
  if (looked_ns_ >= distrusted_until_ns_ && !fault_.empty()) trust();
}

// Since when there is something at the primary that the standby has not seen.
int64_t Reads::lag_ns(int64_t next_transaction) {
  while (!samples_.empty() && samples_.front().next_transaction <= next_transaction) {
    samples_.pop_front();
    has_kept_up_ = true;
  }
  return samples_.empty() ? 0 : clock_.now_ns() - samples_.front().at_ns;
}

void Reads::distrust(std::string fault) {
  if (!std::exchange(has_warned_, true)) {
    spdlog::warn("the standby of --read-url {}: reads go to the primary", fault);
  }
  fault_ = std::move(fault);
  distrusted_until_ns_ = clock_.now_ns() + distrust_ns;
  for (const auto& asked : waited_for_) asked->decided.raise();
}

void Reads::trust() {
  spdlog::info("reads go to the standby of --read-url");
  fault_.clear();
  has_warned_ = false;
}

}  // namespace sluice
