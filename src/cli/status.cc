#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <pqxx/pqxx>
#include <string>
#include <thread>

#include "cli/database_session.h"
#include "cli/interrupt.h"
#include "cli/recent_ends.h"
#include "cli/rows.h"
#include "cli/standby.h"
#include "cli/syntax.h"
#include "cli/table.h"
#include "cli/terminal.h"
#include "cli/top_facts.h"
#include "counted.h"
#include "duration.h"
#include "harmless_text.h"

namespace sluice {
namespace {

constexpr auto redraw_interval = std::chrono::seconds(1);

struct StatusOptions {
  bool watch = false;
  bool json = false;
};

constexpr const char* queues_sql = R"(
  select q.*, unfinished - depth - in_flight as waiting,
    case when isfinite(state_until) then greatest(0, extract(epoch from state_until - clock_timestamp())) end as state_s
  from sluice.queues q order by model)";

// At most `rows_max` models; the others are counted in a line of their own.
std::string queue_table(const pqxx::result& queues, size_t rows_max) {
  using Kind = Table::Kind;
  Table table({{"MODEL", Kind::elastic},
               {"STATE"},
               {"DEPTH", Kind::number},
               {"IN FLIGHT", Kind::number},
               {"WAITING", Kind::number},
               {"OLDEST", Kind::number},
               {"PERMITS", Kind::number, 1},
               {"PRESSURE"}});
  size_t shown = 0;
  for (const pqxx::row& row : queues) {
    if (shown == rows_max) break;
    ++shown;
    const auto oldest = row["oldest_ready_s"];
    table.add({row["model"].c_str(), state_text(row["state"].c_str(), row["state_s"]),
               row["depth"].c_str(), row["in_flight"].c_str(), row["waiting"].c_str(),
               oldest.is_null() ? "-" : brief_age(oldest.as<double>()),
               row["permits_now"].as<std::string>("-"), row["pressure"].c_str()});
  }
  std::string text = table.text();
  const auto all = static_cast<size_t>(queues.size());  // libpqxx 7 counts in int
  if (shown < all) text += fmt::format("and {} more models\n", all - shown);
  return text;
}

// Why models are not open where that is known, and what opens those that nothing else will, at most
// 5 of them; on a screen that is drawn anew a line for each.
std::string reason_lines(const pqxx::result& queues, bool redrawn) {
  constexpr size_t lines_max = 5;
  std::string text;
  size_t lines = 0;
  for (const pqxx::row& row : queues) {
    const bool is_parked = std::string_view(row["state"].c_str()) == "parked";
    if ((row["state_reason"].is_null() && !is_parked) || lines == lines_max) continue;
    ++lines;
    std::string line = fmt::format("{}: {}", row["model"].c_str(), row["state"].c_str());
    if (!row["state_reason"].is_null()) line += fmt::format(": {}", row["state_reason"].c_str());
    if (is_parked)
      line += fmt::format("; to open it: sluice model resume {}", row["model"].c_str());
    const std::string shown = harmless(line, false);
    text += (redrawn ? cut_to(shown, terminal_width()) : wrapped(shown, terminal_width())) + '\n';
  }
  return text;
}

std::string totals_line(pqxx::nontransaction& session, const pqxx::result& queues) {
  int64_t depth = 0;
  int64_t in_flight = 0;
  int64_t waiting = 0;
  for (const pqxx::row& row : queues) {
    depth += row["depth"].as<int64_t>();
    in_flight += row["in_flight"].as<int64_t>();
    waiting += row["waiting"].as<int64_t>();
  }
  const pqxx::row workers =
      session.exec1("select count(*), coalesce(sum(slots), 0) from sluice.workers where alive");
  return fmt::format("{} queued, {} in flight, {} waiting; {}, {} slots{}\n", depth, in_flight,
                     waiting, counted(workers[0].as<int>(), "worker"), workers[1].c_str(),
                     is_standby(session) ? "; read on a standby, which knows no permits" : "");
}

// Workers that are there by their own account but have stopped proving it; empty when all do.
std::string silence_lines(pqxx::nontransaction& session) {
  std::string lines;
  for (const pqxx::row& row : session.exec(
           "select name, extract(epoch from clock_timestamp() - seen), dead_at is not null,"
           " in_flight from sluice.workers"
           " where not alive and (dead_at is null or in_flight > 0) order by seen desc limit 10")) {
    lines += fmt::format("worker {} {} for {}, {} in flight\n", row[0].c_str(),
                         row[2].as<bool>() ? "dead" : "silent", brief_age(row[1].as<double>()),
                         row[3].c_str());
  }
  return lines;
}

// One of what ended in the last ten minutes: models, or tenants.
std::string ends_table(const char* heading, const std::vector<EndFacts>& found, size_t rows_max) {
  if (found.empty()) return "";
  using Kind = Table::Kind;
  Table table({{heading, Kind::elastic},
               {"SOLVED", Kind::number},
               {"FAILED", Kind::number},
               {"P50", Kind::number},
               {"P99", Kind::number},
               {"TOK/MIN", Kind::number}});
  for (size_t i = 0; i < found.size() && i < rows_max; ++i) {
    const EndFacts& ends = found[i];
    table.add({ends.name, std::to_string(ends.solved), std::to_string(ends.failed),
               latency_text(ends.p50_s), latency_text(ends.p99_s),
               brief_count(ends.tokens_per_min)});
  }
  return '\n' + table.text();
}

// Of latencies, tokens and failures; nothing when nothing ended.
std::string recent_text(const RecentEnds& recent, size_t rows_max) {
  constexpr size_t tenants_max = 10;
  std::vector<EndFacts> models;
  for (const auto& [name, ends] : recent.models) models.push_back(ends);
  return ends_table("LAST 10 MIN", models, rows_max) +
         ends_table("TENANT", recent.tenants, std::min(rows_max, tenants_max));
}

std::string status_text(pqxx::connection& connection, size_t rows_max, const RecentEnds& recent) {
  pqxx::nontransaction session(connection);
  const pqxx::result queues = session.exec(queues_sql);
  return queue_table(queues, rows_max) + harmless(totals_line(session, queues), true) +
         reason_lines(queues, rows_max != SIZE_MAX) + harmless(silence_lines(session), true) +
         recent_text(recent, rows_max);
}

RecentEnds recent_of(pqxx::connection& connection) {
  pqxx::nontransaction session(connection);
  return read_recent_ends(session);
}

void print_rows(pqxx::connection& connection) {
  pqxx::nontransaction session(connection);
  print_json_rows(
      session.exec("select to_jsonb(q) || jsonb_build_object('recent', to_jsonb(r) - "
                   "'{scope,name}'::text[])"
                   " from sluice.queues q left join sluice.recent_ends() r"
                   "   on r.scope = 'model' and r.name = q.model order by q.model"));
  std::fflush(stdout);
}

// Overwrites line by line, so that nothing flickers; whatever was longer before is erased.
void redraw(const std::string& text) {
  std::string out = "\x1b[H";
  for (const char c : text) {
    if (c == '\n') out += "\x1b[K";
    out += c;
  }
  fmt::print("{}\x1b[J", out);
}

// How many rows each of the three tables may have, so that all of them fit: the models' at least.
size_t table_rows_on_screen() {
  constexpr size_t other_lines = 8;  // headings, blank lines, "and more", totals, the cursor's own
  winsize size = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row <= other_lines) return 10;
  return std::max<size_t>(1, (size.ws_row - other_lines) / 3);
}

ExitCode watch(pqxx::connection& connection, bool json) {
  end_on_interrupt("", ExitCode::ok);
  const bool screen = isatty(STDOUT_FILENO) == 1 && !json;
  if (screen) fmt::print("\x1b[2J");
  RecentEnds recent;
  std::chrono::steady_clock::time_point recent_due;
  while (true) {
    if (json) {
      print_rows(connection);
    } else {
      if (std::chrono::steady_clock::now() >= recent_due) {
        recent = recent_of(connection);
        recent_due = std::chrono::steady_clock::now() + recent_ends_interval;
      }
      if (screen) {
        redraw(status_text(connection, table_rows_on_screen(), recent));
      } else {
        fmt::print("{}\n", status_text(connection, SIZE_MAX, recent));
      }
    }
    std::fflush(stdout);
    std::this_thread::sleep_for(redraw_interval);
  }
}

ExitCode show(pqxx::connection& connection, const StatusOptions& options) {
  if (options.watch) return watch(connection, options.json);
  if (options.json) {
    print_rows(connection);
  } else {
    fmt::print("{}", status_text(connection, SIZE_MAX, recent_of(connection)));
  }
  return ExitCode::ok;
}

}  // namespace

Action configure_status(CommandSyntax syntax) {
  const auto options = std::make_shared<StatusOptions>();
  syntax.add_flag("--watch", options->watch, "again every second, until Ctrl-C");
  syntax.add_flag("--json", options->json, "one JSON object a line, one per model");
  return database_action(options, show);
}

}  // namespace sluice
