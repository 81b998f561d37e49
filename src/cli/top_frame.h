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
  // What was read at a moment (of a monotonic clock). Keeps a minute.
  void add(const TopFacts& facts, double now_s);

  // Calls that ended in a second, over the last 10 s; nullopt: nothing to compare with yet.
  std::optional<double> ended_per_s(const std::string& model) const;
  // Calls that began in a minute, over the last one or as long as it was watched.
  std::optional<double> began_per_min(const std::string& model) const;

 private:
  struct Counts {
    std::optional<int64_t> began;
    std::optional<int64_t> ended;
  };
  struct Sample {
    double at_s = 0;
    std::map<std::string, Counts> models;
  };
  std::optional<double> per_s(const std::string& model, std::optional<int64_t> Counts::*counter,
                              double window_s) const;

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

// Lists that do not fit are cut, each to its fair part; the models from number `scroll` on.
// `notice`: in place of the rates, when not empty. Below 11 rows there are more lines than rows.
std::vector<FrameLine> top_frame(const TopFacts& facts, const CallRates& rates, FrameSize size,
                                 size_t scroll, std::string_view notice);

}  // namespace sluice
