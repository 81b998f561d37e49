#include "runtime/fd_watch.h"

#include <uv.h>

#include <system_error>
#include <utility>

#include "runtime/loop.h"
#include "runtime/ready_queue.h"

namespace sluice {

// libuv keeps the handle until its close callback, so it lives on the heap and outlasts the FdWatch
// by a turn of the loop.
struct FdWatch::Handle {
  uv_poll_t poll{};
  OnReady on_ready;
  int wanted = 0;

  static void on_event(uv_poll_t* poll, int status, int events) {
    auto* handle = static_cast<Handle*>(poll->data);
    const ReadyQueue::Batch batch;
    if (status < 0) {
      handle->wanted = 0;  // libuv has stopped it
      handle->on_ready(true, true);
    } else {
      handle->on_ready((events & UV_READABLE) != 0, (events & UV_WRITABLE) != 0);
    }
  }
};

void FdWatch::Close::operator()(Handle* handle) const {
  uv_close(reinterpret_cast<uv_handle_t*>(&handle->poll), [](uv_handle_t* closed) {
    const std::unique_ptr<Handle> owner(static_cast<Handle*>(closed->data));
  });
}

FdWatch::FdWatch(Loop& loop, int fd, OnReady on_ready) {
  auto handle = std::make_unique<Handle>();
  handle->on_ready = std::move(on_ready);
  handle->poll.data = handle.get();
  const int failed = uv_poll_init(loop.raw(), &handle->poll, fd);
  if (failed != 0) throw std::system_error(-failed, std::generic_category(), "uv_poll_init");
  handle_.reset(handle.release());
}

void FdWatch::want(bool read, bool write) {
  const int wanted = (read ? UV_READABLE : 0) | (write ? UV_WRITABLE : 0);
  if (wanted == handle_->wanted) return;
  handle_->wanted = wanted;
  if (wanted == 0) {
    uv_poll_stop(&handle_->poll);
  } else {
    uv_poll_start(&handle_->poll, wanted, &Handle::on_event);
  }
}

}  // namespace sluice
