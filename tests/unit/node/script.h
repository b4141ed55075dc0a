// The commands of a transcript (testdata/*.txt), carried out on a Machine.
// Owner: the test.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/node_machine/machine.h"

namespace hayward::core {

// A command is a name and "key value" pairs: "fetch conn 3 replica 100 offset 7 high-watermark 7".
//   machine [static] [voters N] [features] [metadata-version N] [snapshot-bytes N] [refetch-to OFFSET]   a new one, booted
//   start | restart | stop | persisted | flushed | settle | pass MS | snapshot-written | log-start OFFSET
//   register conn C broker B [incarnation N]        BrokerRegistration
//   heartbeat conn C broker B [offset O] [fence] [shutdown]
//   expire broker B                                 its lease has run out
//   create-topic conn C name NAME [partitions N]
//   fetch conn C [replica R] [offset O] [last-epoch E] [epoch E] [high-watermark H] [wait MS]
//   and those of the other voters: peer_script.h
//   close conn C
// What comes out: one line per effect, and of an answer what matters.
class Script {
 public:
  std::vector<std::string> run(const std::string& command);

 private:
  using Words = std::map<std::string, std::string>;

  void boot(const Words& words);
  void ask(const std::string& name, const Words& words);
  void ask_fetch(std::uint32_t conn, const Words& words);
  void ask_registration(std::uint32_t conn, const Words& words);
  std::vector<std::string> lines();
  std::string answer_of(std::uint32_t conn);
  std::string fetch_answer(std::uint32_t conn);

  std::unique_ptr<Machine> machine_;
  Arena arena_;
};

}  // namespace hayward::core
