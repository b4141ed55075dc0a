// cases.md row 94: configs of this controller alone, set through the log, count after a restart and a failover too.
#include <gtest/gtest.h>

#include "broker_slices.h"
#include "schemas/messages/incremental_alter_configs_request.h"
#include "schemas/messages/incremental_alter_configs_response.h"

namespace hayward::core {
namespace {

class OwnConfigs : public BrokerSlices {
 protected:
  // t-0 has lost its leader, 2, and broker 3 lives, which is not in the ISR.
  OwnConfigs() {
    start_brokers(3);
    create_topic("t", 1, {2, 3});
    expire({3});
    beat(3);
    expire({2});
    EXPECT_EQ(partition("t", 0).leader, no_node);
  }
  void set(std::string_view node, std::string_view value) {
    IncrementalAlterConfigsRequest request;
    auto& resource = request.resources.push_back(arena);
    resource.resource_type = 4;
    resource.resource_name = node;
    auto& config = resource.configs.push_back(arena);
    config.name = "unclean.leader.election.enable";
    config.value = value;
    EXPECT_EQ(machine.asked<IncrementalAlterConfigsResponse>(request).responses[0].error_code, ErrorCode::none);
  }
  void pass_a_scan() {
    machine.pass_ms(machine.config.unclean_election_interval_ms + 1000);
    finish();
  }
};

TEST_F(OwnConfigs, Row94_CountAfterARestart) {  // cases.md row 94
  set("1", "true");
  machine.bring_up_again();
  pass_a_scan();
  EXPECT_EQ(partition("t", 0).leader, NodeId{3});
}

TEST_F(OwnConfigs, Row94_ThoseOfAnotherControllerDoNot) {
  set("2", "true");
  machine.bring_up_again();
  pass_a_scan();
  EXPECT_EQ(partition("t", 0).leader, no_node);
}

TEST_F(OwnConfigs, Row94_OwnOnesComeBeforeThoseOfAll) {  // cases.md row 94
  set("", "true");
  set("1", "false");
  machine.bring_up_again();
  pass_a_scan();
  EXPECT_EQ(partition("t", 0).leader, no_node);
}

}  // namespace
}  // namespace hayward::core
