#include "runtime/http_client.h"

#include <utility>

namespace sluice {

void AbortToken::abort() {
  aborted_ = true;
  if (const auto fn = std::exchange(on_abort_, nullptr)) fn();
}

}  // namespace sluice
