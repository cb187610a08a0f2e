import Testing

@testable import Workload

/// Mistakes, each with its place: that of `^` in the text, which is taken out of it.
struct ConfigurationFaultTests {
    private func expect(
        _ marked: String, _ message: String, hint: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var bytes = Array(marked.utf8)
        guard let place = bytes.firstIndex(of: UInt8(ascii: "^")) else {
            Issue.record("no mark", sourceLocation: sourceLocation)
            return
        }
        bytes.remove(at: place)
        do {
            _ = try WorkloadConfiguration(bytes: bytes)
            Issue.record("accepted", sourceLocation: sourceLocation)
        } catch {
            #expect(error.message == message, sourceLocation: sourceLocation)
            if let hint { #expect(error.hint == hint, sourceLocation: sourceLocation) }
            #expect(error.offset == place, sourceLocation: sourceLocation)
        }
    }

    /// A rule of a manual queue behind which another has groups.
    private func rule(_ inner: String) -> String {
        #"[{"user_group": ["a"], "rules": [\#(inner)]}, {"user_group": ["b"]}, {}]"#
    }
    private func predicate(_ inner: String) -> String {
        rule(#"{"rule_name": "r", "predicate": [\#(inner)], "action": "log"}"#)
    }

    @Test func linesAndColumns() {
        do {
            _ = try WorkloadConfiguration(text: "[\n  {\"name\": \"é\"},\n  {\"query_concurrency\": 51}\n]")
            Issue.record("accepted")
        } catch {
            #expect(error.line == 3)
            #expect(error.column == 25)
            #expect(error.message == "\"query_concurrency\" is a whole number from 1 to 50, not 51")
        }
    }

    @Test func noJSON() {
        expect("^", "the text ends where a value is expected")
        expect("  ^", "the text ends where a value is expected")
        expect("^hello", "\"h\" where a value is expected")
        expect("[{}^", "the text ends where \",\" or \"]\" is expected")
        expect("[{},^]", "\"]\" where a value is expected", hint: "JSON has no comma behind the last element.")
        expect("[{} ^{}]", "\"{\" where \",\" or \"]\" is expected")
        expect("[{}] ^x", "\"x\" where the end of the text is expected")
        expect(
            "{^'a': 1}", "\"'\" where a name in double quotes is expected",
            hint: "JSON has names and texts in double quotes.")
        expect("{\"name\" ^1}", "\"1\" where \":\" is expected")
        expect("{\"auto_wlm\": ^True}", "\"T\" where a value is expected", hint: "JSON writes true, false and null.")
        expect("^// x\n{}", "\"/\" where a value is expected", hint: "JSON has no comments.")
        expect("{\"name\": ^\"abc}", "a text in quotes has no end")
        expect("{\"name\": \"a^\nb\"}", "a text in quotes has a control character")
        expect("{\"name\": \"^\\x\"}", "an unknown character follows the backslash")
        expect("{\"name\": \"^\\u12g4\"}", "\\u is followed by four hexadecimal digits")
        expect("{\"name\": \"^\\ud800\"}", "half of a pair of surrogates")
        expect("{\"name\": \"^\\udc00\"}", "half of a pair of surrogates")
        expect("{\"name\": \"^\\ud800\\u0041\"}", "half of a pair of surrogates")
        expect("{\"query_concurrency\": ^05}", "a number begins with a needless 0")
        expect("{\"query_concurrency\": 1.^}", "\"}\" where a digit is expected")
        expect("{\"query_concurrency\": ^1e999}", "a number is too large")
        expect("{\"query_concurrency\": -^}", "\"}\" where a digit is expected")
        expect("{\"name\": \"a\", ^\"name\": \"b\"}", "\"name\" is given twice")
        expect(String(repeating: "[", count: 16) + "^[", "arrays and objects are nested deeper than 16 levels")
    }

    @Test func bytesThatAreNoText() {
        do {
            _ = try WorkloadConfiguration(bytes: Array("{\"name\": \"".utf8) + [0xff])
            Issue.record("accepted")
        } catch {
            #expect(error.message == "the text is not valid UTF-8")
            #expect(error.offset == 10)
        }
    }

    @Test func tooLong() {
        expect(
            "{" + String(repeating: " ", count: 7999) + "^}", "the configuration is longer than 8000 characters",
            hint: "Blanks and line ends count too.")
    }

    @Test func documentsOfAnotherForm() {
        expect("^5", "a configuration is an array of queues, not 5")
        expect("^[]", "the configuration has no queue")
        expect("^[{\"short_query_queue\": true}]", "the configuration has no queue")
        expect("[^5]", "a queue is an object in braces, not 5")
        expect("[^[]]", "a queue is an object in braces, not an array")
    }

    @Test func unknownProperties() {
        expect(
            #"[{^"query_concurency": 5}]"#, #"a queue has no property "query_concurency""#,
            hint: #"Did you mean "query_concurrency"?"#)
        expect(
            #"[{^"concurrency": 5}]"#, #"a queue has no property "concurrency""#,
            hint: #"Did you mean "query_concurrency"?"#)
        expect(#"[{^"queue_name": "a"}]"#, #"a queue has no property "queue_name""#, hint: #"Did you mean "name"?"#)
        expect(rule(#"{^"name": "r"}"#), #"a rule has no property "name""#, hint: #"Did you mean "rule_name"?"#)
        expect(predicate(#"{^"metric": "x"}"#), #"a predicate has no property "metric""#)
        expect(
            predicate(#"{^"zz": 1}"#), #"a predicate has no property "zz""#,
            hint: "It has metric_name, operator, value.")
    }

    @Test func limitsOfQueues() {
        expect(#"{"query_concurrency": ^51}"#, #""query_concurrency" is a whole number from 1 to 50, not 51"#)
        expect(#"{"query_concurrency": ^0}"#, #""query_concurrency" is a whole number from 1 to 50, not 0"#)
        expect(#"{"query_concurrency": ^2.5}"#, #""query_concurrency" is a whole number from 1 to 50, not 2.5"#)
        expect(#"{"query_concurrency": ^-1e300}"#, #""query_concurrency" is a whole number from 1 to 50, not -1e+300"#)
        expect(
            #"{"query_concurrency": ^"5"}"#, #""query_concurrency" is a whole number, not "5""#,
            hint: "Write 5 without quotes.")
        expect(
            #"[{"user_group": ["a"], "query_concurrency": 46}, ^{}]"#,
            #"the queues up to "Default queue" have 51 slots, all together may have 50"#)
        expect(
            #"[{"user_group": ["a"], "query_concurrency": 46}, {"query_concurrency": ^5}]"#,
            #"the queues up to "Default queue" have 51 slots, all together may have 50"#)
        let eight = Array(repeating: #"{"user_group": ["g"], "query_concurrency": 1}"#, count: 8)
        expect("[" + (eight + ["^{}"]).joined(separator: ", ") + "]", "there are 9 queues, at most 8 are allowed")
        expect(
            #"[{"user_group": ["a"], "memory_percent_to_use": 60}, {"memory_percent_to_use": ^41}]"#,
            #"the queues up to "Default queue" use 101 percent of the memory"#)
        expect(
            #"[{"user_group": ["a"], "memory_percent_to_use": 60}, ^{}]"#,
            #""memory_percent_to_use" is missing in queue "Default queue""#,
            hint: "When one queue has it, all must have it.")
        expect(
            #"{"max_execution_time": ^-1}"#, #""max_execution_time" is a whole number from 0 to 2147483647, not -1"#)
        expect(
            #"[{}, {"short_query_queue": true, "max_execution_time": ^999}]"#,
            #""max_execution_time" of short queries is 0 or a number from 1000 to 20000, not 999"#)
        expect(
            #"[{}, {"short_query_queue": true}, {^"short_query_queue": true}]"#, #""short_query_queue" is given twice"#)
    }

    @Test func names() {
        expect(
            #"[{"name": "a", "user_group": ["g"]}, {^"name": "a"}]"#, #"two queues have the name "a""#)
        expect(#"[{"name": "Default queue", "user_group": ["g"]}, ^{}]"#, #"two queues have the name "Default queue""#)
        let long = String(repeating: "n", count: 65)
        expect(#"{"name": ^"\#(long)"}"#, "the name of a queue is longer than 64 bytes")
        expect(#"{"name": ^" "}"#, "the name of a queue is empty")
        expect(#"{"name": ^"a'b"}"#, "the name of a queue has quotation marks")
        expect(#"{"name": ^"a\u0000b"}"#, "the name of a queue has a control character")
        expect(#"{"name": ^null}"#, #""name" is a text in double quotes, not null"#)
    }

    @Test func groups() {
        expect(
            #"[{^"user_group": ["a"]}]"#,
            #"the last queue, "Default queue", is the default queue and cannot have "user_group""#)
        expect(
            #"[{^"user_role": ["a"], "auto_wlm": true}]"#,
            #"the last queue, "Default queue", is the default queue and cannot have "user_role""#,
            hint: #"Add a queue without groups behind it: {"auto_wlm": true}."#)
        expect(#"[{"query_group": [^5]}, {}]"#, #""query_group" is an array of names, not 5"#)
        expect(#"[{"query_group": ^{}}, {}]"#, #""query_group" is an array of names, not an object"#)
        expect(#"[{"query_group": ["a", ^""]}, {}]"#, #"a name in "query_group" is empty"#)
        expect(#"[{"query_group": ^"a,b"}, {}]"#, #""query_group" is an array of names, not "a,b""#)
        expect(
            #"[{"query_group": ["a"], "query_group_wild_card": ^true}, {}]"#,
            #""query_group_wild_card" is 0 or 1, not true"#, hint: "Write 1 for true.")
        expect(#"[{"user_role": ["a"], "user_role_wild_card": ^2}, {}]"#, #""user_role_wild_card" is 0 or 1, not 2"#)
    }

    @Test func modes() {
        expect(
            #"[{"user_group": ["a"], "auto_wlm": false}, {^"auto_wlm": true}]"#,
            #""auto_wlm" is true here and false before"#)
        expect(
            #"[{"user_group": ["a"], "queue_type": "auto"}, ^{}]"#,
            #"a queue without "queue_type" is manual, but the queues are automatic"#)
        expect(
            #"[{"user_group": ["a"], ^"queue_type": "manual"}, {"auto_wlm": true}]"#,
            #""queue_type" is manual, but the queues are automatic"#)
        expect(#"{"queue_type": ^"automatic"}"#, #""queue_type" is one of auto, manual, not "automatic""#)
        expect(#"{"auto_wlm": ^1}"#, #""auto_wlm" is true or false, not 1"#)
        expect(#"{^"priority": "high"}"#, #""priority" is for automatic queues, "Default queue" is manual"#)
        expect(
            #"{"auto_wlm": true, ^"query_concurrency": 5}"#,
            #""query_concurrency" is for manual queues, "Default queue" is automatic"#)
        expect(
            #"{"auto_wlm": true, ^"memory_percent_to_use": 5}"#,
            #""memory_percent_to_use" is for manual queues, "Default queue" is automatic"#)
        expect(
            #"{"auto_wlm": true, ^"max_execution_time": 5}"#,
            #""max_execution_time" is for manual queues, "Default queue" is automatic"#)
        expect(
            #"{"auto_wlm": true, "priority": ^"critical"}"#,
            #""priority" is one of lowest, low, normal, high, highest, not "critical""#)
        expect(
            #"{"concurrency_scaling": ^"on"}"#, #""concurrency_scaling" is one of off, auto, not "on""#)
    }

    @Test func rules() {
        let good = #""predicate": [{"metric_name": "scan_row_count", "operator": ">", "value": 5}]"#
        expect(rule("^{\(good), \"action\": \"log\"}"), #"a rule has no "rule_name""#)
        expect(
            rule(#"{"rule_name": ^"a b", \#(good), "action": "log"}"#),
            "the name of a rule consists of A-Z, a-z, 0-9 and _, not \"a b\"")
        let long = String(repeating: "n", count: 33)
        expect(
            rule(#"{"rule_name": ^"\#(long)", \#(good), "action": "log"}"#),
            "the name of a rule is longer than 32 bytes")
        expect(rule(#"^{"rule_name": "r", \#(good)}"#), #"rule "r" has no "action""#)
        expect(
            rule(#"{"rule_name": "r", \#(good), "action": ^"abrot"}"#),
            #""action" is one of log, hop, abort, change_query_priority, not "abrot""#, hint: #"Did you mean "abort"?"#)
        expect(rule(#"^{"rule_name": "r", "action": "log"}"#), #"rule "r" has no "predicate""#)
        expect(rule(#"{"rule_name": "r", "predicate": ^[], "action": "log"}"#), #"rule "r" has no predicates"#)
        expect(
            rule(#"{"rule_name": "r", \#(good), "action": "log"}, {"rule_name": ^"r", \#(good), "action": "log"}"#),
            #"two rules have the name "r""#)
        let many = (1...25).map { #"{"rule_name": "r\#($0)", \#(good), "action": "log"}"# }
        expect(
            rule((many + [#"^{"rule_name": "z", \#(good), "action": "log"}"#]).joined(separator: ", ")),
            "there are more than 25 rules")
    }

    @Test func actions() {
        let good = #""rule_name": "r", "predicate": [{"metric_name": "scan_row_count", "operator": ">", "value": 5}]"#
        expect(
            #"[{"auto_wlm": true, "rules": [{\#(good), "action": ^"hop"}]}]"#,
            "the action hop is for manual queues only")
        expect(
            #"[{"rules": [{\#(good), "action": ^"hop"}]}]"#,
            "the action hop has nowhere to go: no queue behind this one has groups or roles")
        expect(
            #"[{"user_group": ["a"], "rules": [{\#(good), "action": ^"hop"}]}, {}]"#,
            "the action hop has nowhere to go: no queue behind this one has groups or roles")
        expect(
            rule(
                #"{"rule_name": "r", "predicate": [{"metric_name": "query_queue_time", "operator": ">", "value": 5}], "#
                    + #""action": ^"hop"}"#), "the action hop cannot follow from query_queue_time")
        expect(
            #"[{"rules": [{\#(good), "action": ^"change_query_priority", "value": "low"}]}]"#,
            "the action change_query_priority is for automatic queues only")
        expect(
            #"[{"auto_wlm": true, "rules": [{\#(good), "action": ^"change_query_priority"}]}]"#,
            #"rule "r" changes the priority and has no "value""#)
        expect(
            #"[{"auto_wlm": true, "rules": [{\#(good), "action": "change_query_priority", "value": ^"urgent"}]}]"#,
            #""value" is one of lowest, low, normal, high, highest, not "urgent""#)
        expect(rule(#"{\#(good), "action": "abort", ^"value": "low"}"#), #"the action abort takes no "value""#)
        expect(rule(#"{\#(good), "action": "abort", ^"action": "log"}"#), #""action" is given twice"#)
    }

    @Test func predicates() {
        func part(_ metric: String, _ sign: String, _ value: String, _ mark: String = "") -> String {
            #"\#(mark){"metric_name": "\#(metric)", "operator": "\#(sign)", "value": \#(value)}"#
        }
        expect(
            predicate(part("query_cpu_time", ">", "^1000000")),
            #""value" of query_cpu_time is a number from 0 to 999999, not 1000000"#, hint: "It is in seconds.")
        expect(
            predicate(part("query_blocks_read", ">", "^0.5")),
            #""value" of query_blocks_read is a whole number from 0 to 1048575, not 0.5"#)
        expect(predicate(part("io_skew", ">", "^\"1\"")), #""value" of io_skew is a number from 0 to 99, not "1""#)
        expect(
            predicate(part("scan_row_count", ">", "^-1")),
            #""value" of scan_row_count is a whole number from 0 to 999999999999999, not -1"#)
        expect(
            predicate(#"{"metric_name": "scan_row_count", "operator": ^">=", "value": 1}"#),
            #""operator" is one of =, <, >, not ">=""#)
        expect(predicate(#"^{"metric_name": "scan_row_count", "operator": ">"}"#), #"a predicate has no "value""#)
        expect(predicate(#"^{"metric_name": "scan_row_count", "value": 5}"#), #"a predicate has no "operator""#)
        expect(predicate(#"^{"operator": ">", "value": 5}"#), #"a predicate has no "metric_name""#)
        expect(
            predicate(#"{"metric_name": ^"query_priority", "operator": "=", "value": "low"}"#),
            "query_priority is for automatic queues only")
        let four = ["query_cpu_time", "cpu_skew", "io_skew"].map { part($0, ">", "1") }
        expect(
            predicate((four + [part("join_row_count", ">", "1", "^")]).joined(separator: ", ")),
            #"rule "r" has more than 3 predicates"#)
    }

    @Test func contradictions() {
        func pair(_ metric: String, _ first: String, _ second: String) -> String {
            let parts = [first, second].enumerated().map { index, text in
                let words = text.split(separator: " ")
                return
                    #"\#(index == 1 ? "^" : ""){"metric_name": "\#(metric)", "#
                    + #""operator": "\#(words[0])", "value": \#(words[1])}"#
            }
            return predicate(parts.joined(separator: ", "))
        }
        func contradiction(_ metric: String) -> String {
            "the predicates of rule \"r\" contradict each other: no \(metric) fulfils all of them"
        }
        expect(pair("scan_row_count", "> 5", "< 3"), contradiction("scan_row_count"))
        expect(pair("scan_row_count", "> 5", "< 6"), contradiction("scan_row_count"))
        expect(pair("query_execution_time", "> 5", "< 5"), contradiction("query_execution_time"))
        expect(pair("query_execution_time", "= 5", "> 5"), contradiction("query_execution_time"))
        expect(pair("cpu_skew", "= 5", "= 6"), contradiction("cpu_skew"))
        expect(
            predicate(#"^{"metric_name": "join_row_count", "operator": "<", "value": 0}"#),
            #"a predicate of rule "r" never holds: no join_row_count fulfils it"#)
        // Seconds have parts, and rules may be about a range.
        let accepted = pair("query_execution_time", "> 5", "< 6").replacing("^", with: "")
        #expect(throws: Never.self) { try WorkloadConfiguration(text: accepted) }
    }

    /// AWS's own examples, as they stand in its guide.
    @Test func examplesThatBreakTheirOwnRules() {
        do {
            _ = try WorkloadConfiguration(text: AWSExamples.threeQueues(lastMemory: ""))
            Issue.record("accepted")
        } catch {
            #expect(error.message == #""memory_percent_to_use" is missing in queue "Default queue""#)
            #expect(error.line == 23)
        }
        do {
            _ = try WorkloadConfiguration(
                text: AWSExamples.monitoringRules(cpuTime: 1_000_000, executionTime: 600_000_000))
            Issue.record("accepted")
        } catch {
            #expect(error.line == 7 && error.hint == "It is in seconds.")
        }
    }
}
