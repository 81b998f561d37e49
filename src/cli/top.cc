#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <limits>
#include <memory>
#include <pqxx/pqxx>
#include <string>
#include <thread>
#include <tl/expected.hpp>

#include "cli/database_session.h"
#include "cli/interrupt.h"
#include "cli/rows.h"
#include "cli/screen.h"
#include "cli/syntax.h"
#include "cli/terminal.h"
#include "cli/top_facts.h"
#include "cli/top_frame.h"
#include "command_error.h"
#include "db/migrate.h"
#include "duration.h"
#include "harmless_text.h"

namespace sluice {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// More often would make the looking a load of its own.
constexpr int64_t interval_ms_min = 500;
constexpr int64_t interval_ms_max = 3'600'000;

struct TopOptions {
  bool once = false;
  bool json = false;
  std::string interval = "1s";
};

double seconds_now() {
  return std::chrono::duration<double>(steady_clock::now().time_since_epoch()).count();
}

// The database, over a connection that is made anew after a loss.
class Source final {
 public:
  explicit Source(const std::string& database_url) : database_url_(database_url) {}

  // An error: the database is away, and why.
  tl::expected<TopFacts, std::string> read() {
    TopFacts facts;
    try {
      with_errors_in_words([this, &facts] {
        if (!connection_) {
          connection_ = connect(database_url_);
          check_schema(*connection_, embedded_sql());
        }
        facts = read_top_facts(*connection_);
        read_recent();
      });
    } catch (const CommandError& error) {
      if (error.code() != ExitCode::database_unreachable) throw;
      connection_.reset();
      return tl::unexpected(std::string(error.what()));
    }
    facts.recent = recent_;
    return facts;
  }

 private:
  void read_recent() {
    if (steady_clock::now() < recent_due_) return;
    pqxx::nontransaction session(*connection_);
    recent_ = read_recent_ends(session);
    recent_due_ = steady_clock::now() + recent_ends_interval;
  }

  RecentEnds recent_;
  steady_clock::time_point recent_due_;
  const std::string& database_url_;
  std::unique_ptr<pqxx::connection> connection_;
};

// Throws CommandError(database_unreachable).
TopFacts read_or_throw(Source& source) {
  tl::expected<TopFacts, std::string> facts = source.read();
  if (!facts) throw CommandError(ExitCode::database_unreachable, facts.error());
  return std::move(*facts);
}

size_t scrolled(size_t scroll, Screen::Event event, size_t models, size_t page) {
  const size_t last = models > 0 ? models - 1 : 0;
  const size_t step =
      event == Screen::Event::page_up || event == Screen::Event::page_down ? page : 1;
  switch (event) {
    case Screen::Event::up:
    case Screen::Event::page_up:
      return scroll - std::min(scroll, step);
    case Screen::Event::down:
    case Screen::Event::page_down:
      return std::min(last, scroll + step);
    case Screen::Event::first:
      return 0;
    case Screen::Event::last:
      return last;
    default:
      return std::min(last, scroll);
  }
}

TopOrder next(TopOrder order) {
  return static_cast<TopOrder>((static_cast<int>(order) + 1) % top_orders);
}

void draw(Screen& screen, const TopFacts& facts, const CallRates& rates, const TopView& view,
          bool is_help) {
  const FrameSize size = screen.size();
  const FrameSize above_keys = {size.rows - 1, size.columns};
  std::vector<FrameLine> lines =
      is_help ? top_help(above_keys) : top_frame(facts, rates, above_keys, view);
  lines.resize(above_keys.rows);
  const std::string keys = fmt::format(
      "q quit   ? help   s sort: {}   \u2191 \u2193 PgUp PgDn scroll", name_of(view.order));
  lines.push_back({cut_to(keys, size.columns)});
  screen.show(lines);
}

ExitCode watch(Source& source, Screen& screen, TopFacts facts, milliseconds interval) {
  CallRates rates;
  rates.add(facts, seconds_now());
  TopView view;
  bool is_help = false;
  while (true) {
    const auto next_look = steady_clock::now() + interval;
    auto event = Screen::Event::resized;
    do {
      view.scroll = scrolled(view.scroll, event, facts.queues.size(), screen.size().rows / 2);
      if (event == Screen::Event::help) is_help = !is_help;
      if (event == Screen::Event::sort) view.order = next(view.order);
      draw(screen, facts, rates, view, is_help);
      event = screen.wait_until(next_look);
      if (event == Screen::Event::quit) return ExitCode::ok;
    } while (event != Screen::Event::time_out);
    tl::expected<TopFacts, std::string> found = source.read();
    view.notice = found ? "" : harmless("old figures; trying again: " + found.error(), false);
    if (!found) continue;
    facts = std::move(*found);
    rates.add(facts, seconds_now());
  }
}

// Two looks: rates need a past.
ExitCode print_once(Source& source, TopFacts facts, milliseconds interval) {
  end_on_interrupt("", ExitCode::ok);
  CallRates rates;
  rates.add(facts, seconds_now());
  std::this_thread::sleep_for(interval);
  facts = read_or_throw(source);
  rates.add(facts, seconds_now());
  // A frame is made for a screen, also where there is none.
  const size_t width = terminal_width();
  const FrameSize all = {std::numeric_limits<size_t>::max(),
                         width == unlimited_columns ? terminal_columns : width};
  for (const FrameLine& line : top_frame(facts, rates, all, {})) fmt::print("{}\n", line.text);
  return ExitCode::ok;
}

ExitCode print_rows(const GlobalOptions& globals) {
  return with_database(globals, [](pqxx::connection& connection) {
    pqxx::nontransaction session(connection);
    for (const char* sql :
         {"select json_build_object('queue', q, 'calls', c, 'recent', r) from sluice.queues q"
          " join sluice.call_counts() c on c.model = q.model"
          " left join sluice.recent_ends() r on r.scope = 'model' and r.name = q.model"
          " order by q.model",
          "select json_build_object('tenant', r.name, 'recent', r) from sluice.recent_ends() r"
          " where r.scope = 'tenant' order by r.name",
          "select json_build_object('worker', w) from sluice.workers w order by w.id",
          "select json_build_object('failure', f) from sluice.recent_failures() f"}) {
      print_json_rows(session.exec(sql));
    }
    return ExitCode::ok;
  });
}

ExitCode top(const TopOptions& options, const GlobalOptions& globals) {
  const int64_t interval_ms = parse_duration_ms(options.interval);
  if (interval_ms < interval_ms_min || interval_ms > interval_ms_max) {
    throw CommandError(ExitCode::usage, "--interval is from 500ms to 1h");
  }
  if (options.json) return print_rows(globals);
  Source source(globals.database_url);
  TopFacts facts = read_or_throw(source);
  const std::unique_ptr<Screen> screen = options.once ? nullptr : Screen::open();
  const milliseconds interval(interval_ms);
  return screen ? watch(source, *screen, std::move(facts), interval)
                : print_once(source, std::move(facts), interval);
}

}  // namespace

Action configure_top(CommandSyntax syntax) {
  const auto options = std::make_shared<TopOptions>();
  syntax.add_flag("--once", options->once, "print one plain frame, as where no terminal is");
  syntax.add_option("--interval", options->interval, "between two looks at the database")
      .option_text("DURATION [1s]");
  syntax.add_flag("--json", options->json,
                  "one JSON object a line: each queue with its calls, "
                  "each tenant, each worker, each failure");
  return [options](const GlobalOptions& globals) { return top(*options, globals); };
}

}  // namespace sluice
