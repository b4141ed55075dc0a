// Finds the quorum's leader from any of its controllers, and asks it for the quorum's state.
// Owner: `hayward quorum`. The main thread.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "tools/client/client.h"
#include "tools/quorum/view.h"

namespace hayward::tools {

struct AskOptions {
  std::string servers;             // host:port,...
  int timeout_ms = 10000;          // for all of it; one controller that does not answer takes a part of that only
  std::int64_t patience_ms = 3000;  // see make_view
  bool probe = true;                // see probe()
};

struct Leader {
  Client client;
  std::string address;
  QuorumView view;
};

// The error has one line for each controller that was asked: what it was expected to do, and what it did.
std::expected<Leader, std::string> find_leader(const AskOptions& options);

// Asks `leader` again.
std::expected<QuorumView, std::string> ask_again(Leader& leader, const AskOptions& options);

// Fills in whether each replica answers at its address: a node that died a moment ago is known here before the leader says so.
// With `programs` also what program it is, by Hayward's private status request: Java's controllers log that as an error.
void probe(QuorumView& view, bool programs);

}  // namespace hayward::tools
