// What socket operations do. This port has no network yet that it could be on.
#include <cerrno>

#include "schemas/runtime/assert.h"
#include "tests/sim/ring/sim_port.h"

namespace hayward::sim {

Fd SimPort::make_socket(int) { return -ENETDOWN; }
Fd SimPort::make_listener(const sockaddr*, socklen_t, int, bool) { return -ENETDOWN; }
int SimPort::local_address(Fd, sockaddr_storage&) { return -EBADF; }
int SimPort::peer_address(Fd, sockaddr_storage&) { return -EBADF; }
void SimPort::accept_multishot(Operation& operation, Fd) { submit(operation, Kind::accept); }
void SimPort::connect(Operation& operation, Fd, const sockaddr*, socklen_t) { submit(operation, Kind::connect); }
void SimPort::recv_multishot(Operation& operation, Fd) { submit(operation, Kind::recv_multishot); }
void SimPort::recv(Operation& operation, Fd, MutableBytes) { submit(operation, Kind::recv); }
void SimPort::release_buffer(std::uint16_t) { HAYWARD_ASSERT(false, "no buffer was handed out"); }
void SimPort::send(Operation& operation, Fd, std::span<const iovec>) { submit(operation, Kind::send); }
void SimPort::shutdown(Operation& operation, Fd, int) { submit(operation, Kind::shutdown); }

}  // namespace hayward::sim
