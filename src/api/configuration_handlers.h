// The handlers of models, routes, tenants and settings: see docs/http.md. They change the same
// tables as plain SQL does, so workers follow within a second.
#pragma once

#include "api/routes.h"

namespace sluice {

Task<HttpReply> list_models(Services& services, ApiRequest request);
Task<HttpReply> show_model(Services& services, ApiRequest request);
Task<HttpReply> replace_model(Services& services, ApiRequest request);
Task<HttpReply> change_model(Services& services, ApiRequest request);
Task<HttpReply> pause_model(Services& services, ApiRequest request);
Task<HttpReply> resume_model(Services& services, ApiRequest request);
Task<HttpReply> close_model(Services& services, ApiRequest request);
Task<HttpReply> delete_model(Services& services, ApiRequest request);
Task<HttpReply> list_routes(Services& services, ApiRequest request);
Task<HttpReply> show_route(Services& services, ApiRequest request);
Task<HttpReply> replace_route(Services& services, ApiRequest request);
Task<HttpReply> delete_route(Services& services, ApiRequest request);
Task<HttpReply> list_tenants(Services& services, ApiRequest request);
Task<HttpReply> show_tenant(Services& services, ApiRequest request);
Task<HttpReply> replace_tenant(Services& services, ApiRequest request);
Task<HttpReply> change_tenant(Services& services, ApiRequest request);
Task<HttpReply> delete_tenant(Services& services, ApiRequest request);
Task<HttpReply> show_settings(Services& services, ApiRequest request);
Task<HttpReply> replace_settings(Services& services, ApiRequest request);
Task<HttpReply> change_settings(Services& services, ApiRequest request);

}  // namespace sluice
