import SQLTypes

/// Types whose values cannot be compared: HLLSKETCH. Grouping, sorting, DISTINCT and set operations refuse them.
enum Comparability {
    enum Need: String {
        case equality, ordering
    }

    static func require(_ type: SQLType, _ need: Need) throws {
        guard !type.family.isComparable else { return }
        throw SQLError(
            .undefinedFunction, "could not identify an \(need.rawValue) operator for type \(type)",
            hint: "HLL_CARDINALITY gives a number that can be compared.")
    }
}
