// Batches: OpenAI's over an uploaded file, and Anthropic's message batches.
#pragma once

#include "api/routes.h"

namespace sluice {

Co<HttpReply> create_batch(Services& services, ApiRequest request);
Co<HttpReply> list_batches(Services& services, ApiRequest request);
Co<HttpReply> show_batch(Services& services, ApiRequest request);
Co<HttpReply> cancel_batch(Services& services, ApiRequest request);

Co<HttpReply> create_message_batch(Services& services, ApiRequest request);
Co<HttpReply> list_message_batches(Services& services, ApiRequest request);
Co<HttpReply> show_message_batch(Services& services, ApiRequest request);
Co<HttpReply> cancel_message_batch(Services& services, ApiRequest request);
Co<HttpReply> delete_message_batch(Services& services, ApiRequest request);
Co<HttpReply> send_message_batch_results(Services& services, ApiRequest request);

}  // namespace sluice
