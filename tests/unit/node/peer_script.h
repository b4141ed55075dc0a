// The commands of a transcript that have to do with the quorum's other voters: what they ask, and what they answer to
// what this node has asked them.
// Owner: Script.
#pragma once

#include <map>
#include <string>

#include "tests/node_machine/machine.h"

namespace hayward::core {

using Words = std::map<std::string, std::string>;

std::int64_t number_of(const Words& words, const std::string& key, std::int64_t otherwise);

// False: the command is none of these.
//   vote conn C from R epoch E [pre] [offset O] [last-epoch L] [voter V] [cluster NAME]
//   begin conn C from L epoch E [unknown-place]         BeginQuorumEpoch
//   end conn C from L epoch E [first | second]          EndQuorumEpoch; where this node is on the list
//   granted peer P | not-granted peer P [epoch E] [leader L]   the answer to this node's Vote
//   begun peer P                                        ... to its BeginQuorumEpoch
//   fetched peer P [epoch E] [records N] [of-epoch E] [high-watermark H]   ... to its Fetch: N NoOp records in one batch
//   diverged peer P epoch E end O | snapshot peer P end O epoch E | not-leader peer P epoch E [leader L]
//   lost peer P api K | refused peer P api K            its request fails; the dial is refused
bool peer_command(Machine& machine, const std::string& name, const Words& words);

}  // namespace hayward::core
