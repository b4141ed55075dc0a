// See address.h.
#include "net/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>

namespace hayward::net {

core::ClientAddress to_client_address(const sockaddr_storage& address) {
  core::ClientAddress out;
  if (address.ss_family == AF_INET) {
    sockaddr_in v4;
    std::memcpy(&v4, &address, sizeof(v4));
    std::memcpy(out.bytes.data(), &v4.sin_addr, 4);
  } else if (address.ss_family == AF_INET6) {
    sockaddr_in6 v6;
    std::memcpy(&v6, &address, sizeof(v6));
    const bool mapped = IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr);
    out.length = mapped ? 4 : 16;
    std::memcpy(out.bytes.data(), &v6.sin6_addr.s6_addr[mapped ? 12 : 0], out.length);
  }
  return out;
}

std::string to_text(const core::ClientAddress& address) {
  char text[INET6_ADDRSTRLEN] = "?";
  inet_ntop(address.length == 4 ? AF_INET : AF_INET6, address.bytes.data(), text, sizeof(text));
  return text;
}

AddressCounts::Key AddressCounts::key(const core::ClientAddress& address) {
  Key key{};
  key[0] = address.length;
  std::copy_n(address.bytes.begin(), std::min<std::size_t>(address.length, address.bytes.size()), key.begin() + 1);
  return key;
}

void AddressCounts::remove(const core::ClientAddress& address) {
  const auto found = counts_.find(key(address));
  if (found != counts_.end() && --found->second == 0) counts_.erase(found);
}

}  // namespace hayward::net
