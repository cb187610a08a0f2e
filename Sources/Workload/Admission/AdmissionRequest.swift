/// What workload management knows of a statement that wants to run.
package struct AdmissionRequest: Sendable {
    /// As Redshift classes statements.
    package enum Kind: Sendable, Hashable {
        case select
        case createTableAs
        /// INSERT, UPDATE, DELETE, MERGE.
        case change
        case load
        case unload
        /// VACUUM, ANALYZE and other work on tables as a whole that a user has asked for.
        case maintenance
        /// The same, by the warehouse itself.
        case background

        /// May run in the lane of short queries.
        package var canBeShort: Bool { self == .select || self == .createTableAs }
        /// May go on in, or begin again in, another queue.
        package var canHop: Bool { canBeShort }
        /// Neither time limits of queues nor rules end it.
        package var isExempt: Bool { self == .load || self == .maintenance || self == .background }
    }

    /// For system tables.
    package var query: Int
    package var session: Int
    package var kind: Kind
    package var user: WorkloadUser
    /// `query_group`.
    package var queryGroup: String
    /// `wlm_query_slot_count`.
    package var slotCount: Int
    /// By the plan and what statements of its shape took; nil: nobody knows.
    package var predictedNanoseconds: Int64?
    /// What its operators may need at the same time.
    package var estimatedBytes: Int
    /// Set by function for the session or the user.
    package var priority: QueryPriority?

    package init(
        query: Int, session: Int = 0, kind: Kind, user: WorkloadUser, queryGroup: String = "", slotCount: Int = 1,
        predictedNanoseconds: Int64? = nil, estimatedBytes: Int = 0, priority: QueryPriority? = nil
    ) {
        self.query = query
        self.session = session
        self.kind = kind
        self.user = user
        self.queryGroup = queryGroup
        self.slotCount = slotCount
        self.predictedNanoseconds = predictedNanoseconds
        self.estimatedBytes = estimatedBytes
        self.priority = priority
    }
}

/// Who asks, as far as queues look at it.
package struct WorkloadUser: Sendable, Hashable {
    package var id: Int
    package var isSuperuser: Bool
    package var groups: [String]
    package var roles: [String]

    package init(id: Int, isSuperuser: Bool = false, groups: [String] = [], roles: [String] = []) {
        self.id = id
        self.isSuperuser = isSuperuser
        self.groups = groups
        self.roles = roles
    }
}
