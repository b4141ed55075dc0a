// One accepted connection: receives, cuts frames, hands requests on one at a time, sends each answer
// whole before the next request is looked at, and winds down in an order that never gives the kernel memory
// that is gone. States: free -> open -> closing (until nothing is in flight and the descriptor is closed)
// -> free, with a new generation; or open -> free, when it is handed over to another shard's server.
// Owner: the Server, in a slot that stays in place. Its shard.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/core/control/served.h"
#include "engine/host/driver/ports.h"
#include "engine/host/ring/ring.h"
#include "net/input.h"
#include "net/output.h"
#include "net/request_header.h"
#include "net/server.h"
#include "net/stats.h"

namespace hayward::net {

class Connection;

// What all connections of a server share, and what they tell it.
struct ConnectionHost {
  ring::Port& port;
  const ServerConfig config;
  std::span<const core::ServedApi> apis;
  driver::NetEvents events;
  Stats stats;

  ConnectionHost(ring::Port& port_in, const ServerConfig& config_in, std::span<const core::ServedApi> apis_in,
                 driver::NetEvents events_in)
      : port(port_in), config(config_in), apis(apis_in), events(std::move(events_in)) {}
  virtual ~ConnectionHost() = default;
  virtual void on_active(Connection&) = 0;                            // bytes went in or out
  virtual void on_throttled(Connection&, std::int64_t until_ns) = 0;  // call unthrottle then
  virtual void on_closing(Connection&, CloseReason, const std::string& detail) = 0;
  virtual void on_leaving(Connection&) = 0;   // it is handed over; on_released follows
  virtual void on_released(Connection&) = 0;  // the slot is free
};

class Connection {
 public:
  Connection(ConnectionHost& host, std::uint32_t slot);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Takes an accepted descriptor over and begins to read. `listener` must outlive the connection.
  void open(ring::Fd fd, std::string_view listener, const core::ClientAddress& address);
  // The same for one that another shard's server has handed over.
  void adopt(const driver::Handover& handover);
  // The answer to the request in progress; dropped if there is none.
  void reply(Buffer bytes, std::int32_t throttle_ms);
  void reply_small(Bytes bytes);
  void reply(Buffer head, driver::LogSlice slice, Buffer tail, bool compact_length);
  // Ends the connection, after what is being sent.
  void refuse(const std::string& reason);
  void unthrottle();
  // Now; what is being sent is cut off.
  void close(CloseReason reason, const std::string& detail = {});
  // Closes as soon as nothing is being answered or sent.
  void stop();

  const core::ConnectionId& id() const { return id_; }
  const core::ClientAddress& address() const { return address_; }
  bool is_open() const { return state_ == State::open; }
  bool adopted() const { return adopted_; }
  bool with_node() const { return with_node_; }
  bool throttled() const { return throttled_until_ns_ != 0; }
  std::int64_t throttled_until_ns() const { return throttled_until_ns_; }

  // The server's bookkeeping.
  std::int64_t active_ns = 0;
  std::list<Connection*>::iterator idle_entry;

 private:
  enum class State : std::uint8_t { free, open, closing };

  // A request is with the node, its answer is on its way, the connection is throttled, or about to be handed over.
  bool muted() const { return with_node_ || send_.in_flight || throttled() || moving_to_; }
  void on_recv(const ring::Completion& completion);
  void on_send(const ring::Completion& completion);
  void on_closed();
  void on_cancel(const ring::Completion& completion, const ring::Operation& target);
  void take_in(Bytes bytes);
  Bytes hand_on_in_place(Bytes bytes, MonoTime now);
  void keep(Bytes bytes, MonoTime now);
  void pump();
  // False: the request is not taken, for the connection belongs to another shard.
  bool hand_on(Bytes payload, MonoTime arrival, bool announced);
  void announce(Bytes payload, MonoTime arrival);
  core::Request make_request(const RequestHeader& header, MonoTime arrival) const;
  void close_bad_header(HeaderError error, const RequestHeader& header);
  void close_bad_size(const Frame& frame, Bytes start);
  void close_on_result(std::int32_t result);
  void begin_send(std::int32_t throttle_ms);
  void send_rest();
  void update_recv();
  void hand_over();
  void wind_down();
  void free_slot();

  ConnectionHost& host_;
  core::ConnectionId id_;
  State state_ = State::free;
  bool with_node_ = false;
  bool adopted_ = false;                    // came from another shard's server
  std::optional<std::uint16_t> moving_to_;  // handed over to that shard once nothing is in flight
  std::optional<CloseReason> close_when_done_;
  std::int64_t throttled_until_ns_ = 0;  // 0: not
  std::int64_t throttle_after_send_ns_ = 0;
  ring::Fd fd_ = -1;
  std::string_view listener_;
  core::ClientAddress address_;
  Input input_;
  Output output_;
  ring::Operation recv_;
  ring::Operation recv_cancel_;
  ring::Operation send_;
  ring::Operation send_cancel_;
  ring::Operation close_;
};

}  // namespace hayward::net
