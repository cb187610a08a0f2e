import SQLTypes

/// Types whose values mean the same when they stand in the same form: what may be compared, chosen between, copied into
/// one another without a cast. Lengths, integer widths and precisions do not matter, scales and kinds of time do.
package enum ValueClass: Hashable, Sendable {
    case boolean
    /// Unscaled integers of this scale; SMALLINT, INTEGER and BIGINT have scale 0.
    case number(scale: Int)
    case float
    case text
    case date, time, timetz, timestamp, timestamptz, interval

    package init(_ type: SQLType) {
        switch type {
        case .boolean: self = .boolean
        case .smallint, .integer, .bigint: self = .number(scale: 0)
        case .decimal(_, let scale): self = .number(scale: scale)
        case .real, .double: self = .float
        case .char, .varchar, .unknown: self = .text
        case .date: self = .date
        case .time: self = .time
        case .timetz: self = .timetz
        case .timestamp: self = .timestamp
        case .timestamptz: self = .timestamptz
        case .interval: self = .interval
        }
    }
}
