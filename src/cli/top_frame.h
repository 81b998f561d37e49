// TopFrame turns what `sluice top` read into the lines of one screen. CallRates remembers the
// counters of the last minute and says how fast they move. Neither reads the database or writes to
// the terminal.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/top_facts.h"

namespace sluice {

class CallRates final {
 public:
  // Takes the figures read at a moment of a monotonic clock. Keeps a minute of them.
  void add(const TopFacts& facts, double now_s);

  // Calls that ended in a second, over the last 10 s; nullopt: nothing to compare with yet.
  std::optional<double> ended_per_s(const std::string& model) const;
  // Which part of the calls that its quota allowed have begun, 0 to 1, over the last minute or as
  // long as it was watched. Allowed was what the bucket held at first and what has dripped into it
  // since; nullopt: no quota, or nothing to compare with yet.
  std::optional<double> quota_use(const QueueFacts& queue) const;

 private:
  struct Counts {
    std::optional<int64_t> began;
    std::optional<int64_t> ended;
    std::optional<int64_t> permits;
  };
  struct Sample {
    double at_s = 0;
    std::map<std::string, Counts> models;
  };
  // The counters of a model at the beginning and the end of a window, and how long it was.
  struct Window {
    Counts before;
    Counts after;
    double length_s = 0;
  };
  std::optional<Window> window(const std::string& model, double window_s) const;

  std::deque<Sample> samples_;
};

struct FrameLine {
  enum class Style { plain, heading, trouble };
  std::string text;
  Style style = Style::plain;
};

struct FrameSize {
  size_t rows = 24;
  size_t columns = 80;
};

// The order of the models; trouble is the order in which they were read.
enum class TopOrder { trouble, queued, busy, rate, quota, p99, tokens, failed };
inline constexpr int top_orders = 8;
const char* name_of(TopOrder order);

struct TopView {
  size_t scroll = 0;  // the models from this number on
  TopOrder order = TopOrder::trouble;
  std::string notice;  // in place of the rates, when not empty
};

// Lists that do not fit are cut, each to its fair part; empty ones but the models' are left out.
// Below 15 rows there may be more lines than rows.
std::vector<FrameLine> top_frame(const TopFacts& facts, const CallRates& rates, FrameSize size,
                                 const TopView& view);

// The meaning of the columns and keys.
std::vector<FrameLine> top_help(FrameSize size);

}  // namespace sluice
