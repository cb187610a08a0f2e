import SQLTypes

/// Types whose values mean the same when they stand in the same form: what may be compared, chosen between, copied into
/// one another without a cast. Lengths, integer widths and precisions do not matter, scales and kinds of time do.
package struct ValueClass: Hashable, Sendable {
    private let family: TypeFamily
    /// Of unscaled integers; SMALLINT, INTEGER and BIGINT have scale 0.
    private let scale: Int

    package init(_ type: SQLType) {
        family = type.family.comparison
        scale = type.scale
    }
}
