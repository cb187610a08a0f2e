import QueryPlan

/// One rewrite of the logical plan. Stateless; what one statement's planning shares is in the context.
public protocol OptimizerPass: Sendable {
    /// By which settings disable the pass and durations are reported.
    var name: String { get }
    /// Passes that make the plan executable at all cannot be disabled.
    var isRequired: Bool { get }
    func run(_ query: inout LogicalQuery, _ context: OptimizerContext) throws
}

extension OptimizerPass {
    public var isRequired: Bool { false }
}

/// Which optional passes are off. Results never depend on it, only speed.
public struct OptimizerSettings: Sendable, Hashable {
    public var disabledPasses: Set<String>
    /// Check the plan after every pass; always on in debug builds.
    public var verifiesPlans: Bool
    public init(disabledPasses: Set<String> = [], verifiesPlans: Bool = false) {
        self.disabledPasses = disabledPasses
        self.verifiesPlans = verifiesPlans
    }
}

/// How long each pass of one statement took.
public struct PassDuration: Sendable, Hashable {
    public var name: String
    public var durationNanoseconds: UInt64
    public init(name: String, durationNanoseconds: UInt64) {
        self.name = name
        self.durationNanoseconds = durationNanoseconds
    }
}
