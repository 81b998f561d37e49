// The coroutines of this thread that can continue, in the order in which they became ready. It owns
// only that order: the frames belong to their Cos, and an Entry leaves the queue by itself when its
// frame is destroyed.
//
// Thread rule: loop thread only; there is one queue. Coroutines that waited for something outside
// (a signal, a timer, a reply) are resumed only from here, one after another. So waking somebody
// from inside a coroutine never runs foreign code in the middle of it, and the stack does not grow
// with the number of wake-ups. The queue is drained until it is empty: coroutines that wake each
// other for ever, without I/O, starve the loop.
#pragma once

#include <coroutine>

namespace sluice {

class ReadyQueue final {
 public:
  // One place in the queue, at home in an awaiter.
  class Entry final {
   public:
    Entry() = default;
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;
    ~Entry() { unlink(); }

    // Queues `coroutine`; outside of any Batch it runs at once. Requires: not queued already.
    void push(std::coroutine_handle<> coroutine);

   private:
    friend class ReadyQueue;
    void unlink();

    std::coroutine_handle<> coroutine_;
    Entry* previous_ = nullptr;
    Entry* next_ = nullptr;
    bool queued_ = false;
  };

  // While one exists, entries only gather; the outermost one resumes them when it ends. Every
  // callback of the event loop opens one first, so that coroutines run after the callback has left
  // its library (libpq, curl, libmicrohttpd).
  class Batch final {
   public:
    Batch();
    Batch(const Batch&) = delete;
    Batch& operator=(const Batch&) = delete;
    ~Batch();
  };

 private:
  static ReadyQueue& instance();
  void link(Entry& entry);
  void drain();

  Entry* first_ = nullptr;
  Entry* last_ = nullptr;
  int depth_ = 0;  // open batches
};

}  // namespace sluice
