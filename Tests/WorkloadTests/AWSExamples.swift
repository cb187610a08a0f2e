/// Configurations of AWS's management guide ("Workload management", "Configuring the wlm_json_configuration parameter")
/// and such as its console writes.
enum AWSExamples {
    static let automatic = #"{ "auto_wlm": true }"#
    static let manual = #"{ "query_concurrency":5 }"#

    /// The guide's text gives the last queue 35 percent, its example leaves them out, against its own rule.
    static func threeQueues(lastMemory: String) -> String {
        """
        [
          {
            "query_concurrency": 4,
            "max_execution_time": 20000,
            "memory_percent_to_use": 25,
            "query_group": ["report"],
            "query_group_wild_card": 1,
            "user_group": [],
            "user_group_wild_card": 0,
            "concurrency_scaling": "auto",
            "queue_type": "manual"
          },
          {
            "query_concurrency": 5,
            "memory_percent_to_use": 40,
            "query_group": [],
            "query_group_wild_card": 0,
            "user_group": ["admin", "dba"],
            "user_group_wild_card": 0,
            "concurrency_scaling": "off",
            "queue_type": "manual"
          },
          {
            "query_concurrency": 5,\(lastMemory)
            "query_group": [],
            "query_group_wild_card": 0,
            "user_group": [],
            "user_group_wild_card": 0,
            "concurrency_scaling": "auto",
            "queue_type": "manual"
          },
          {"short_query_queue": true}
        ]
        """
    }

    /// The guide has 1000000 and 600000000 here: microseconds, as these metrics once were.
    static func monitoringRules(cpuTime: Int, executionTime: Int) -> String {
        """
        [ {
          "query_group" : [ "report" ], "query_group_wild_card" : 1,
          "user_group" : [ ], "user_group_wild_card" : 0, "concurrency_scaling" : "auto",
          "rules" : [{
            "rule_name": "rule_1",
            "predicate": [
              { "metric_name": "query_cpu_time", "operator": ">", "value": \(cpuTime) },
              { "metric_name": "query_blocks_read", "operator": ">", "value": 1000 } ],
            "action" : "log"
          } ],
          "priority": "normal", "queue_type": "auto"
        }, {
          "query_group" : [ ], "query_group_wild_card" : 0,
          "user_group" : [ "admin", "dba" ], "user_group_wild_card" : 0, "concurrency_scaling" : "off",
          "rules" : [ {
            "rule_name": "rule_2",
            "predicate": [
              {"metric_name": "query_execution_time", "operator": ">", "value": \(executionTime)},
              {"metric_name": "scan_row_count", "operator": ">", "value": 1000000000}],
            "action": "abort"}],
          "priority": "high", "queue_type": "auto"
        }, {
          "query_group" : [ ], "query_group_wild_card" : 0, "user_group" : [ ], "user_group_wild_card" : 0,
          "concurrency_scaling" : "auto", "priority": "low", "queue_type": "auto", "auto_wlm": true
        }, {
          "short_query_queue" : true
        } ]
        """
    }

    static let singleNames =
        #"[{"user_group":"example_user_group1","query_group": "example_query_group1", "query_concurrency":7},"#
        + #"{"query_concurrency":5}]"#

    static let shortQueryLimit =
        #"[{"query_group":["reports"],"query_group_wild_card":0,"query_concurrency":4,"max_execution_time":20000,"#
        + #""memory_percent_to_use":25},{"user_group":["admin","dba"],"user_group_wild_card":1,"query_concurrency":5,"#
        + #""memory_percent_to_use":40},{"query_concurrency":5,"memory_percent_to_use":35},"#
        + #"{"short_query_queue": true, "max_execution_time": 5000 }]"#

    /// The mode stands in an object of its own behind the default queue.
    static let modeBehindQueues = """
        [{"query_concurrency": 10, "memory_percent_to_use": 90, "query_group": [], "query_group_wild_card": 0,
          "user_group": ["etlusers"], "user_group_wild_card": 0},
         {"query_concurrency": 2, "memory_percent_to_use": 10, "query_group": [], "user_group": []},
         {"query_group": [], "query_group_wild_card": 0, "user_group": [], "user_group_wild_card": 0,
          "auto_wlm": false},
         {"short_query_queue": true}]
        """
}
