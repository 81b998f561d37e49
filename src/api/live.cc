#include "api/live.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/error_reply.h"
#include "json_text.h"

namespace sluice {
namespace {

// Event, name and JSON of each row. An event is a kind of rows that clients keep by name. They are
// told to every key, so they are read as by a key that is none: without the words of backends and
// the names of secrets, which are for administrators.
constexpr const char* rows_sql =
    "select n.event, coalesce(n.told ->> 'model', n.told ->> 'id'), n.told::text"
    " from (select case when set_config('sluice.api_key', 'live', true) is not null"
    "   then sluice.show_overview() -> 'data' end as models) o cross join lateral ("
    "   select 'overview' as event, m as told from jsonb_array_elements(o.models) m"
    "   union all select 'jobs', j::jsonb"
    "   from json_array_elements(sluice.list_jobs(max_jobs => 20) -> 'data') j) n";
constexpr std::string_view overview = "overview";  // is told even if it has no rows
constexpr int64_t look_interval_ns = 2 * ns_per_s;
// At most a fiftieth of the time goes into looking, which takes 60 ms with 200 models on a busy
// machine.
constexpr int64_t pause_per_look = 50;
constexpr int64_t look_interval_ns_max = 30 * ns_per_s;

// The rows of one event as they are told.
struct News {
  std::string changed;
  std::string gone;
};

void append(std::string& list, std::string_view json) {
  if (!list.empty()) list += ',';
  list += json;
}

}  // namespace

Live::Listener::Listener(Live& live, bool is_for_rows) : live_(live), is_for_rows_(is_for_rows) {
  live_.listeners_.push_back(this);
  if (!is_for_rows || std::exchange(live_.looking_, true)) return;
  live_.coroutines_.spawn(live_.look_while_heard());
}

Live::Listener::~Listener() {
  std::erase(live_.listeners_, this);
}

bool Live::Listener::has_news() const {
  if (!is_for_rows_) return false;
  if (!live_.failure_.empty()) return !told_failure_;
  return live_.has_read_ && (told_ < live_.looks_ || told_failure_);
}

Co<void> Live::Listener::wait(int64_t deadline_ns) {
  if (has_news() || live_.released_) co_return;
  co_await changed_.wait_until(live_.clock_, deadline_ns);
}

std::string Live::Listener::take_news() {
  if (!has_news()) return {};
  if (!live_.failure_.empty()) {
    told_failure_ = true;
    return fmt::format("event: unavailable\ndata: {}\n", live_.failure_);
  }
  std::map<std::string_view, News> news = {{overview, News()}};
  for (const auto& [key, row] : live_.rows_) {
    if (row.changed_at <= told_) continue;
    const auto& [event, name] = key;
    News& of_event = news[event];
    if (!row.json.empty()) append(of_event.changed, row.json);
    if (row.json.empty() && told_ >= 0) append(of_event.gone, json_string(name));
  }
  const bool was_failure = std::exchange(told_failure_, false);
  const bool is_first = told_ < 0 || was_failure;
  told_ = live_.looks_;
  std::string text;
  for (const auto& [event, rows] : news) {
    if (rows.changed.empty() && rows.gone.empty() && !is_first) continue;
    text += fmt::format("event: {}\ndata: {{\"object\":\"list\",\"data\":[{}],\"gone\":[{}]}}\n\n",
                        event, rows.changed, rows.gone);
  }
  return text;
}

void Live::release() {
  released_ = true;
  wake_listeners();
}

void Live::wake_listeners() {
  // A tenant's are not to tell when others' tasks move.
  for (Listener* listener : listeners_) {
    if (listener->is_for_rows_ || released_) listener->changed_.raise();
  }
}

bool Live::is_heard() const {
  return std::any_of(listeners_.begin(), listeners_.end(),
                     [](const Listener* listener) { return listener->is_for_rows_; });
}

Co<void> Live::look_while_heard() {
  while (is_heard()) {
    co_await sleep_until(clock_, next_look_ns_);
    const int64_t begun_ns = clock_.now_ns();
    co_await look();
    const int64_t now_ns = clock_.now_ns();
    next_look_ns_ = now_ns + std::clamp(pause_per_look * (now_ns - begun_ns), look_interval_ns,
                                        look_interval_ns_max);
  }
  rows_.clear();  // the next listener is told all that there is then
  has_read_ = false;
  failure_.clear();
  looking_ = false;
}

Co<void> Live::look() {
  Co<Result<PgResult>> reply = reads_.query(database_, rows_sql, PgParams());
  const Result<PgResult> rows = co_await std::move(reply);
  if (!rows) {
    const bool is_new = failure_.empty();
    failure_ = error_reply(rows.error()).body;
    if (is_new) wake_listeners();
    co_return;
  }
  const bool had_failed = !std::exchange(failure_, std::string()).empty();
  const bool is_first = !std::exchange(has_read_, true);
  if (take(*rows) || is_first || had_failed) wake_listeners();
  forget_what_all_know();
}

// Whether something is new.
bool Live::take(const PgResult& rows) {
  const int64_t look = looks_ + 1;
  Rows former = std::exchange(rows_, Rows());
  bool is_new = false;
  for (int row = 0; row < rows.rows(); ++row) {
    std::pair key(std::string(rows.text(row, 0)), std::string(rows.text(row, 1)));
    const auto found = former.find(key);
    const bool is_same = found != former.end() && found->second.json == rows.text(row, 2);
    const int64_t changed_at = is_same ? found->second.changed_at : look;
    is_new = is_new || !is_same;
    rows_[std::move(key)] = {std::string(rows.text(row, 2)), changed_at};
  }
  for (auto& [key, row] : former) {
    if (rows_.contains(key)) continue;
    const bool is_known = row.json.empty();
    is_new = is_new || !is_known;
    rows_[key] = {std::string(), is_known ? row.changed_at : look};
  }
  if (is_new) looks_ = look;
  return is_new;
}

void Live::forget_what_all_know() {
  int64_t told = looks_;
  for (const Listener* listener : listeners_) {
    if (listener->is_for_rows_ && listener->told_ >= 0) told = std::min(told, listener->told_);
  }
  std::erase_if(rows_, [told](const auto& each) {
    return each.second.json.empty() && each.second.changed_at <= told;
  });
}

}  // namespace sluice
