/// The binary form of SUPER. A value is a run of bytes whose length stands outside of it: a string view has it, and a
/// container has the ends of its members. So a part of a value is a value itself, and navigation copies nothing.
///
///     value     = tag, payload
///     null, false, true   no payload
///     integer   two's complement, little endian, in 1, 2, 4 or 8 bytes, the fewest that hold it
///     decimal   scale (1 byte), unscaled integer in 8 or 16 bytes
///     double    8 bytes
///     string    UTF-8 bytes
///     array     count, ends[count], values
///     object    count, nameEnds[count], valueEnds[count], order[count], names, values
///
/// The upper bits of a container's tag say how many bytes each number in its tables has: 1, 2 or 4. Ends count from the
/// first byte of the names or values. Members of an object stand as they were written, duplicates included; `order`
/// lists them by name, so that one is found by bisection.
package enum SuperForm {
    package static let maximumBytes = 16 << 20
    /// Of arrays and objects in one another.
    package static let maximumDepth = 512

    package enum Kind: UInt8, Sendable {
        case null, no, yes, integer, decimal, double, string, array, object

        package var isContainer: Bool { self == .array || self == .object }
        package var isNumber: Bool { self == .integer || self == .decimal || self == .double }
        package var isBoolean: Bool { self == .no || self == .yes }
        /// As JSON_TYPEOF names it.
        package var name: StaticString {
            switch self {
            case .null: "null"
            case .no, .yes: "boolean"
            case .integer, .decimal, .double: "number"
            case .string: "string"
            case .array: "array"
            case .object: "object"
            }
        }
    }

    static let kindMask: UInt8 = 0x0F

    /// Bytes that are no value: a fault of whoever wrote them.
    package static var damage: SQLError { SQLError(.dataCorrupted, "a SUPER value is damaged") }
    package static var tooLong: SQLError {
        SQLError(.stringTooLong, "value too long for type super", detail: "A SUPER value has at most 16 MB.")
    }
    package static var tooDeep: SQLError {
        SQLError(
            .limitExceeded, "a SUPER value is nested too deeply",
            detail: "Arrays and objects can stand in one another at most \(maximumDepth) levels deep.")
    }
}
