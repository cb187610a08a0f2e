/// What `wlm_json_configuration` says: the user queues, the last of which is the default queue, and the lane of short
/// queries. A value that has been read and checked.
package struct WorkloadConfiguration: Sendable, Hashable {
    /// Concurrency and memory of each statement are decided by the warehouse, and queues have priorities; otherwise
    /// queues have slots.
    package var isAutomatic = true
    /// At least one.
    package var queues = [QueueDefinition(name: WorkloadConfiguration.defaultQueueName)]
    package var shortQueries = ShortQueries()
    /// As the administrator has written it.
    package var text = WorkloadConfiguration.standardText

    package static let defaultQueueName = "Default queue"
    package static let standardText = "[{\"auto_wlm\": true}]"
    package static let mostQueues = 8
    package static let mostSlots = 50
    package static let mostRules = 25
    package static let mostPredicates = 3
    package static let longestQueueName = 64
    package static let longestRuleName = 32
    package static let longestText = 8_000

    package init() {}

    /// Acceleration of short queries.
    package struct ShortQueries: Sendable, Hashable {
        package var isOn = true
        /// 0: by what statements of the last time took.
        package var maximumMilliseconds: Int64 = 0
        /// Of `maximumMilliseconds`, where it is not 0.
        package static let limits: ClosedRange<Int64> = 1_000...20_000
        package init() {}
    }
}
