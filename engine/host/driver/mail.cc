// See mail.h.
#include "engine/host/driver/mail.h"

#include <string_view>

namespace hayward::driver {

MailedRequest::MailedRequest(const core::Request& from)
    : request(from), client_id(from.client_id.value_or(std::string_view{})), body(from.body.begin(), from.body.end()) {}

core::Request MailedRequest::view() const {
  core::Request result = request;
  if (request.client_id) result.client_id = client_id;
  result.body = body;
  return result;
}

}  // namespace hayward::driver
