// Sleep decides whether a worker that has had nothing to do may stop its heartbeats, and when it
// must look for work. It owns that state and its times; it sends nothing and waits for nothing.
//
// Thread rule: loop thread only. Times are Clock::now_ns().
#pragma once

#include <cstdint>

namespace sluice {

class Sleep final {
 public:
  // How long it sleeps until it asks again, and at most works idly before it asks at all.
  void set_idle_look_ms(int64_t idle_look_ms) { idle_look_ms_ = idle_look_ms; }

  // It has just had something to do.
  void note_busy(int64_t now_ns) { busy_at_ns_ = now_ns; }
  // It is awake, and has had nothing to do for long enough.
  bool is_tired(int64_t now_ns) const;

  // The database is being asked, or has said yes; end() ends both.
  bool is_awake() const { return state_ == State::awake; }
  bool is_asleep() const { return state_ == State::asleep; }
  void ask() { state_ = State::asked; }
  void grant(int64_t now_ns, int64_t wake_in_ms);
  // It has something to do, or will hear of something. False: it was awake.
  bool end(int64_t now_ns);

  // Asleep. When to look up next: for the alarm, a task that is due then; or to ask again.
  int64_t look_up_at_ns() const;
  bool has_alarm(int64_t now_ns) const { return now_ns >= alarm_at_ns_; }
  // Whether to ask again; once, until the answer comes by grant().
  bool take_look(int64_t now_ns);

 private:
  enum class State { awake, asked, asleep };

  State state_ = State::awake;
  int64_t idle_look_ms_ = 60'000;
  int64_t busy_at_ns_ = 0;
  int64_t look_at_ns_ = 0;
  int64_t alarm_at_ns_ = 0;
};

}  // namespace sluice
