import QueryPlan

/// One rewrite of the logical plan. Stateless; what one statement's planning shares is in the context.
package protocol OptimizerPass: Sendable {
    /// By which settings disable the pass and durations are reported.
    var name: String { get }
    /// Passes that make the plan executable at all cannot be disabled.
    var isRequired: Bool { get }
    func run(_ query: inout LogicalQuery, _ context: OptimizerContext) throws
}

extension OptimizerPass {
    package var isRequired: Bool { false }
}

/// Which optional passes are off. Results never depend on it, only speed.
package struct OptimizerSettings: Sendable, Hashable {
    package var disabledPasses: Set<String>
    /// Check the plan after every pass; always on in debug builds.
    package var verifiesPlans: Bool
    package init(disabledPasses: Set<String> = [], verifiesPlans: Bool = false) {
        self.disabledPasses = disabledPasses
        self.verifiesPlans = verifiesPlans
    }
}

/// How long each pass of one statement took.
package struct PassDuration: Sendable, Hashable {
    package var name: String
    package var durationNanoseconds: UInt64
    package init(name: String, durationNanoseconds: UInt64) {
        self.name = name
        self.durationNanoseconds = durationNanoseconds
    }
}
