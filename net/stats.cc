// Words for close reasons; see stats.h.
#include "net/stats.h"

namespace hayward::net {

const char* to_text(CloseReason reason) {
  switch (reason) {
    case CloseReason::peer_closed:
      return "closed by the peer";
    case CloseReason::io_error:
      return "socket error";
    case CloseReason::bad_frame_size:
      return "bad frame size";
    case CloseReason::malformed_header:
      return "malformed request header";
    case CloseReason::unknown_api:
      return "api not served here";
    case CloseReason::unsupported_version:
      return "api version not served here";
    case CloseReason::refused_request:
      return "request refused";
    case CloseReason::idle:
      return "idle";
    case CloseReason::too_many_from_address:
      return "too many connections from this address";
    case CloseReason::too_many_connections:
      return "too many connections";
    case CloseReason::out_of_buffer_room:
      return "no room left for received bytes";
    case CloseReason::stopping:
      return "stopping";
    case CloseReason::count_:
      break;
  }
  return "?";
}

}  // namespace hayward::net
