// Batches: OpenAI's over an uploaded file, and Anthropic's message batches.
#pragma once

#include "api/routes.h"

namespace sluice {

Task<HttpReply> create_batch(Services& services, ApiRequest request);
Task<HttpReply> list_batches(Services& services, ApiRequest request);
Task<HttpReply> show_batch(Services& services, ApiRequest request);
Task<HttpReply> cancel_batch(Services& services, ApiRequest request);

Task<HttpReply> create_message_batch(Services& services, ApiRequest request);
Task<HttpReply> list_message_batches(Services& services, ApiRequest request);
Task<HttpReply> show_message_batch(Services& services, ApiRequest request);
Task<HttpReply> cancel_message_batch(Services& services, ApiRequest request);
Task<HttpReply> delete_message_batch(Services& services, ApiRequest request);
Task<HttpReply> send_message_batch_results(Services& services, ApiRequest request);

}  // namespace sluice
