/// Checked arithmetic on values of the integer types: results leave as 22003 where they do not fit the type.
public enum IntegerArithmetic {
    public static func add(_ left: Int128, _ right: Int128, _ type: SQLType) throws -> Int128 {
        try checked(left.addingReportingOverflow(right), type)
    }
    public static func subtract(_ left: Int128, _ right: Int128, _ type: SQLType) throws -> Int128 {
        try checked(left.subtractingReportingOverflow(right), type)
    }
    public static func multiply(_ left: Int128, _ right: Int128, _ type: SQLType) throws -> Int128 {
        try checked(left.multipliedReportingOverflow(by: right), type)
    }
    /// Cuts towards zero.
    public static func divide(_ left: Int128, _ right: Int128, _ type: SQLType) throws -> Int128 {
        if right == 0 { throw DecimalArithmetic.divisionByZero }
        return try checked(left.dividedReportingOverflow(by: right), type)
    }
    /// With the sign of the dividend.
    public static func remainder(_ left: Int128, _ right: Int128, _ type: SQLType) throws -> Int128 {
        if right == 0 { throw DecimalArithmetic.divisionByZero }
        return try checked(left.remainderReportingOverflow(dividingBy: right), type)
    }

    private static func checked(_ result: (partialValue: Int128, overflow: Bool), _ type: SQLType) throws -> Int128 {
        let range = IntegerText.range(of: type)
        guard !result.overflow, result.partialValue >= Int128(range.lowerBound),
            result.partialValue <= Int128(range.upperBound)
        else { throw SQLError(.numericOutOfRange, "\(type) out of range") }
        return result.partialValue
    }
}
