// The handlers of /v1/chat/completions and similar routes: tasks whose client waits for the model's
// own answer. They hold no state; the task lives on when its client has left.
#pragma once

#include "api/routes.h"

namespace sluice {

Co<HttpReply> complete_chat(Services& services, ApiRequest request);
Co<HttpReply> complete_response(Services& services, ApiRequest request);
Co<HttpReply> complete_embeddings(Services& services, ApiRequest request);
Co<HttpReply> complete_message(Services& services, ApiRequest request);

}  // namespace sluice
