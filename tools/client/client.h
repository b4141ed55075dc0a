// A small blocking client of a controller's listener, for the verbs that ask it something.
// Owner: tools. One thread.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <expected>
#include <string>
#include <utility>

#include "schemas/messages/request_header.h"
#include "schemas/runtime/arena.h"
#include "schemas/runtime/bytes.h"
#include "schemas/runtime/codec.h"
#include "schemas/runtime/reader.h"
#include "schemas/runtime/writer.h"

namespace hayward::tools {

class Client {
 public:
  // `address` is host:port. The error says what was expected, found, and what to do.
  static std::expected<Client, std::string> connect(const std::string& address, int timeout_ms);
  Client(Client&& other) noexcept : fd_(std::exchange(other.fd_, -1)), address_(std::move(other.address_)) {}
  Client& operator=(Client&&) = delete;
  ~Client();
  // Which of the addresses that the name stands for was reached; returns the length.
  socklen_t peer_address(sockaddr_storage& out) const;

  // Sends `request` and waits for its answer. Strings and arrays of the answer live until the next call.
  template <class Response, class Request>
  std::expected<Response, std::string> call(const Request& request, std::int16_t version) {
    const bool flexible = version >= Request::first_flexible_version;
    messages::RequestHeader header;
    header.request_api_key = Request::api_key;
    header.request_api_version = version;
    header.correlation_id = ++correlation_id_;
    header.client_id = "hayward";
    const std::int16_t header_version = flexible ? 2 : 1;
    Buffer frame(encoded_size(header, header_version) + encoded_size(request, version));
    Writer writer(frame);
    encode(writer, header, header_version);
    encode(writer, request, version);
    if (auto exchanged = exchange(frame); !exchanged) return std::unexpected(exchanged.error());
    Reader reader(answer_);
    const bool ours = reader.read_i32() == correlation_id_;
    if (flexible && Request::api_key != 18) skip_tagged_fields(reader);
    arena_.reset();
    Response response;
    if (!ours || !decode(reader, version, arena_, response)) return std::unexpected(not_understood());
    return response;
  }

 private:
  Client(int fd, std::string address) : fd_(fd), address_(std::move(address)) {}
  // One frame out, one frame in, into answer_.
  std::expected<void, std::string> exchange(const Buffer& frame);
  std::string not_understood() const;

  int fd_ = -1;
  std::string address_;
  std::int32_t correlation_id_ = 0;
  Buffer answer_;
  Arena arena_;
};

}  // namespace hayward::tools
