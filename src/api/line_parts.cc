#include "api/line_parts.h"

#include <utility>

namespace sluice {
namespace {

// Lines that one step of a batch takes: see sql/functions/9_http/batch_work.sql.
constexpr int part_lines_max = 5000;
constexpr size_t part_bytes_max = size_t{1} << 20;

}  // namespace

void LineParts::add(std::string_view piece) {
  bytes_ += static_cast<int64_t>(piece.size());
  while (!piece.empty() && problem_.empty()) {
    const size_t newline = piece.find('\n');
    const bool is_line = newline != std::string_view::npos;
    const std::string_view taken = piece.substr(0, is_line ? newline + 1 : piece.size());
    open_.text.append(taken);
    line_bytes_ += taken.size();
    line_measure_.add(taken);
    look_at_line(is_line);
    piece.remove_prefix(taken.size());
    if (!is_line) continue;
    end_line();
    if (open_.lines >= part_lines_max || open_.text.size() >= part_bytes_max ||
        open_exponents_ >= json_exponents_max) {
      close_part();
    }
  }
}

void LineParts::look_at_line(bool is_whole) {
  if (!problem_.empty()) return;
  if (line_bytes_ > line_bytes_max) {
    problem_ = "a line is longer than 16 MiB";
    return;
  }
  // What is still to come of a line may bring what its exponents need.
  problem_ = json_cost_problem(line_measure_, is_whole ? line_bytes_ : line_bytes_max);
  if (!problem_.empty()) problem_ = "a line has " + problem_;
}

void LineParts::end() {
  if (line_bytes_ > 0) {
    look_at_line(true);
    end_line();
  }
  if (open_.lines > 0) close_part();
}

void LineParts::end_line() {
  ++open_.lines;
  open_exponents_ += line_measure_.exponents();
  line_bytes_ = 0;
  line_measure_ = JsonMeasure();
}

std::optional<LineParts::Part> LineParts::take() {
  if (ready_.empty()) return std::nullopt;
  std::optional<Part> part = std::move(ready_.front());
  ready_.pop_front();
  return part;
}

void LineParts::close_part() {
  ready_.push_back(std::exchange(open_, Part()));
  open_exponents_ = 0;
}

}  // namespace sluice
