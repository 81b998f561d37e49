// ServerClock tells whether the database's clock has jumped ahead: quotas fill by that clock, and
// an hour that did not pass must not fill them. It compares its readings with our monotonic clock,
// which never jumps. It owns one bound: how far the database's clock can be ahead of ours.
//
// Thread rule: loop thread only. All times of ours are Clock::now_ns().
#pragma once

#include <cstdint>
#include <optional>

namespace sluice {

class ServerClock final {
 public:
  // A reading of the database's clock, in microseconds since the epoch, that was taken between
  // `sent_ns` and `arrived_ns` of ours. Until reset(), every reading after a jump tells of it.
  void note(int64_t reading_us, int64_t sent_ns, int64_t arrived_ns);

  // The database knows of the jump since this reading: from now on its time is true again.
  void reset(int64_t reading_us, int64_t sent_ns);

  // By how much the last reading was further ahead than it can be, in microseconds; 0: by nothing.
  int64_t jump_us() const { return jump_us_; }
  bool has_jumped() const { return jump_us_ > 0; }

  // The last reading that was no further ahead, in microseconds since the epoch: before the jump.
  int64_t sound_us() const { return sound_us_; }

 private:
  // Of the database's clock before ours, at most, by the reading asked for at `sent_ns`.
  struct Lead {
    int64_t us_max;
    int64_t sent_ns;
  };

  std::optional<Lead> lead_;  // nullopt: no reading yet
  int64_t jump_us_ = 0;
  int64_t sound_us_ = 0;
};

}  // namespace sluice
