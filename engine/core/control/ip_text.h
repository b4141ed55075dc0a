// Whether a text is an address of a host, as Java's InetAddress.getByName reads one without asking a name
// server: 1 to 4 decimal parts (the last fills what is left), or IPv6, also in brackets.
// Owner: engine/core/control. Any shard.
#pragma once

#include <string_view>

namespace hayward::core {

bool is_ip_address(std::string_view text);

}  // namespace hayward::core
