import SQLTypes
import Workload

/// What was measured of one kind of statement.
struct MixedClass: Sendable {
    /// From the moment a statement was due to its end.
    var latencies = Durations()
    /// In the warehouse, for a slot.
    var queued = Durations()
    /// Those that ended within the measured time, and of others the part that did.
    var completed = 0.0
    /// By SQLSTATE: how many, and the first message.
    var errors: [String: (count: Int, message: String)] = [:]

    mutating func add(latency: Double, queued: Double, completed: Double) {
        latencies.add(latency)
        self.queued.add(queued)
        self.completed += completed
    }

    mutating func add(_ error: SQLError) {
        errors[error.state.code, default: (0, error.message)].count += 1
    }

    mutating func add(_ other: MixedClass) {
        latencies.add(other.latencies)
        queued.add(other.queued)
        completed += other.completed
        for (state, error) in other.errors { errors[state, default: (0, error.message)].count += error.count }
    }

    var errorCount: Int { errors.values.reduce(0) { $0 + $1.count } }
}

/// What was measured under one configuration.
struct MixedFigures: Sendable {
    var label: String
    var seconds = 0.0
    var classes: [MixedKind: MixedClass] = [:]

    mutating func add(_ other: MixedFigures) {
        seconds += other.seconds
        for (kind, figures) in other.classes { classes[kind, default: MixedClass()].add(figures) }
    }

    subscript(kind: MixedKind) -> MixedClass { classes[kind] ?? MixedClass() }
    func perSecond(_ kind: MixedKind) -> Double { seconds > 0 ? self[kind].completed / seconds : 0 }

    static let percents = [50.0, 95, 99, 100]

    var json: JSONValue {
        .object([
            ("configuration", .string(label)), ("seconds", .number(seconds)),
            (
                "classes",
                .array(
                    MixedKind.allCases.compactMap { kind in
                        classes[kind].map { json(kind, $0) }
                    })
            ),
        ])
    }

    private func json(_ kind: MixedKind, _ figures: MixedClass) -> JSONValue {
        func object(_ durations: Durations) -> JSONValue {
            let values = durations.percentiles(MixedFigures.percents).map { JSONValue.number($0 * 1000) }
            return .object(Array(zip(["p50", "p95", "p99", "max"], values)))
        }
        let errors = figures.errors.sorted { $0.key < $1.key }.map { state, error in
            JSONValue.object([
                ("sqlstate", .string(state)), ("count", .integer(error.count)), ("message", .string(error.message)),
            ])
        }
        return .object([
            ("class", .string(kind.rawValue)), ("statements", .integer(figures.latencies.count)),
            ("per_second", .number(perSecond(kind))), ("latency_ms", object(figures.latencies)),
            ("queued_ms", object(figures.queued)), ("errors", .array(errors)),
        ])
    }
}
