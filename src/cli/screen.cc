#include "cli/screen.h"

// Their macros have names like erase, timeout, columns and lines.
#define NCURSES_NOMACROS
#include <curses.h>
#include <poll.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <string>

#undef columns
#undef lines

#include "exit_code.h"

namespace sluice {
namespace {

using std::chrono::steady_clock;

constexpr int escape_delay_ms = 25;  // how long Esc waits for the rest of an arrow key

// Restores the terminal, for the signal handler: written before that is installed.
termios mode_before;
std::string leaving;

// Only functions that POSIX allows in a signal handler.
void leave_on_signal(int signal) {
  std::signal(SIGTTOU, SIG_IGN);  // a stopped job may be in the background
  if (write(STDOUT_FILENO, leaving.data(), leaving.size()) < 0) {
    // Nobody is left to see it.
  }
  tcsetattr(STDIN_FILENO, TCSANOW, &mode_before);
  _exit(static_cast<int>(signal == SIGINT ? ExitCode::ok : ExitCode::terminated));
}

std::string capability(const char* name) {
  const char* text = tigetstr(name);
  return text == nullptr || text == reinterpret_cast<const char*>(-1) ? "" : text;
}

void catch_signals() {
  leaving = capability("sgr0") + capability("cnorm") + capability("rmkx") + capability("rmcup");
  struct sigaction action = {};
  action.sa_handler = leave_on_signal;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

attr_t attributes_of(FrameLine::Style style) {
  if (style == FrameLine::Style::heading) return A_REVERSE;
  return style == FrameLine::Style::trouble ? A_BOLD : A_NORMAL;
}

Screen::Event event_of(int key) {
  switch (key) {
    case 'q':
      return Screen::Event::quit;
    case '?':
    case 'h':
      return Screen::Event::help;
    case 's':
      return Screen::Event::sort;
    case 'k':
    case KEY_UP:
      return Screen::Event::up;
    case 'j':
    case KEY_DOWN:
      return Screen::Event::down;
    case KEY_PPAGE:
      return Screen::Event::page_up;
    case KEY_NPAGE:
      return Screen::Event::page_down;
    case 'g':
    case KEY_HOME:
      return Screen::Event::first;
    case 'G':
    case KEY_END:
      return Screen::Event::last;
    case KEY_RESIZE:
      return Screen::Event::resized;
    default:
      return Screen::Event::time_out;
  }
}

}  // namespace

struct Screen::Terminal {
  explicit Terminal(SCREEN* screen_) : screen(screen_) {}
  ~Terminal() {
    endwin();
    delscreen(screen);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  SCREEN* screen;
};

std::unique_ptr<Screen> Screen::open() {
  if (isatty(STDIN_FILENO) == 0 || isatty(STDOUT_FILENO) == 0) return nullptr;
  if (tcgetattr(STDIN_FILENO, &mode_before) != 0) return nullptr;
  // Our texts are UTF-8, whatever the user's language.
  if (std::setlocale(LC_CTYPE, "C.UTF-8") == nullptr) std::setlocale(LC_CTYPE, "");
  SCREEN* screen = newterm(nullptr, stdout, stdin);
  if (screen == nullptr) return nullptr;
  return std::make_unique<Screen>(std::make_unique<Terminal>(screen));
}

Screen::Screen(std::unique_ptr<Terminal> terminal) : terminal_(std::move(terminal)) {
  catch_signals();
  cbreak();
  noecho();
  nonl();
  keypad(stdscr, true);
  nodelay(stdscr, true);
  set_escdelay(escape_delay_ms);
  curs_set(0);
}

Screen::~Screen() = default;

FrameSize Screen::size() const {
  return {static_cast<size_t>(std::max(1, getmaxy(stdscr))),
          static_cast<size_t>(std::max(1, getmaxx(stdscr)))};
}

void Screen::show(const std::vector<FrameLine>& lines) {
  werase(stdscr);
  const int rows = getmaxy(stdscr);
  const int columns = getmaxx(stdscr);
  for (int row = 0; row < rows && row < static_cast<int>(lines.size()); ++row) {
    const FrameLine& line = lines[static_cast<size_t>(row)];
    wattrset(stdscr, static_cast<int>(attributes_of(line.style)));
    wmove(stdscr, row, 0);
    if (line.style == FrameLine::Style::heading) whline(stdscr, ' ' | A_REVERSE, columns);
    waddstr(stdscr, line.text.c_str());
  }
  wattrset(stdscr, A_NORMAL);
  wrefresh(stdscr);
}

Screen::Event Screen::wait_until(steady_clock::time_point deadline) {
  while (true) {
    const int key = wgetch(stdscr);
    const Event event = key == ERR ? Event::time_out : event_of(key);
    if (event != Event::time_out) return event;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_clock::now());
    if (left.count() <= 0) return Event::time_out;
    if (key != ERR) continue;  // a key without meaning
    pollfd input = {STDIN_FILENO, POLLIN, 0};
    // A change of the window's size ends the poll; wgetch then says so.
    poll(&input, 1, static_cast<int>(left.count()));
    if ((input.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) return Event::quit;
  }
}

}  // namespace sluice
