// Files, in OpenAI's shape: uploads, which are stored while they come, lists, contents.
#pragma once

#include "api/routes.h"

namespace sluice {

Task<HttpReply> upload_file(Services& services, ApiRequest request);
Task<HttpReply> list_files(Services& services, ApiRequest request);
Task<HttpReply> show_file(Services& services, ApiRequest request);
Task<HttpReply> send_file(Services& services, ApiRequest request);
Task<HttpReply> delete_file(Services& services, ApiRequest request);

}  // namespace sluice
