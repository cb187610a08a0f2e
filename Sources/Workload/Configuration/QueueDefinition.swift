/// One user queue of a configuration, in the words of `wlm_json_configuration`.
package struct QueueDefinition: Sendable, Hashable {
    package var name: String
    /// `query_concurrency`: slots of a manual queue.
    package var slots = QueueDefinition.standardSlots
    /// `memory_percent_to_use`: of a manual queue; nil: an equal part of what no queue has claimed.
    package var memoryPercent: Int?
    /// Of an automatic queue.
    package var priority = QueryPriority.normal
    /// `concurrency_scaling: auto`.
    package var scalesOut = false
    package var userGroups = NameList()
    package var queryGroups = NameList()
    package var userRoles = NameList()
    /// `max_execution_time` of a manual queue; 0: none.
    package var maximumExecutionMilliseconds: Int64 = 0
    package var rules: [MonitoringRule] = []

    package static let standardSlots = 5

    package init(name: String) { self.name = name }

    /// Whether statements are led into it by a name; of the default queue never.
    package var isRouted: Bool {
        !userGroups.names.isEmpty || !queryGroups.names.isEmpty || !userRoles.names.isEmpty
    }

    /// Groups or roles that lead into a queue.
    package struct NameList: Sendable, Hashable {
        package var names: [String] = []
        /// `*` and `?` stand for other characters.
        package var hasWildcards = false
        package init(_ names: [String] = [], hasWildcards: Bool = false) {
            self.names = names
            self.hasWildcards = hasWildcards
        }
    }
}
