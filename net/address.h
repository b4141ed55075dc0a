// Client addresses: from the socket's form, as text, and how many connections each has.
// Owner: net. Its shard.
#pragma once

#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "engine/core/types.h"

namespace hayward::net {

// IPv4-mapped IPv6 becomes IPv4; another family: all zero.
core::ClientAddress to_client_address(const sockaddr_storage& address);
std::string to_text(const core::ClientAddress& address);

class AddressCounts {
 public:
  std::int32_t add(const core::ClientAddress& address) { return ++counts_[key(address)]; }
  void remove(const core::ClientAddress& address);

 private:
  using Key = std::array<std::uint8_t, 17>;
  static Key key(const core::ClientAddress& address);
  std::map<Key, std::int32_t> counts_;
};

}  // namespace hayward::net
