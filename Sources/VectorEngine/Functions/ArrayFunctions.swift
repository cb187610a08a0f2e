import QueryPlan
import SQLTypes

/// Arrays as catalogs have them, in their text form: `{1,2}` with subscripts from 1, or `1 2` (vectors) from 0.
package enum ArrayFunctions {
    static func kernel(_ function: ScalarFunction) -> FunctionKernel? {
        switch function {
        case .arrayContains, .arrayElement, .arrayUpper, .arrayLower, .arrayToString, .makeArray:
            .values(function == .makeArray ? .custom : .strict) { _, arguments in
                value(of: function, arguments) ?? .null
            }
        default: nil
        }
    }

    /// nil for functions that are not of arrays.
    package static func value(of function: ScalarFunction, _ arguments: [Datum]) -> Datum? {
        switch function {
        case .arrayContains: .boolean(elements(arguments[0]).contains { Datum.string($0) == arguments[1] })
        case .arrayElement: element(arguments)
        case .arrayUpper: bound(arguments, isUpper: true)
        case .arrayLower: bound(arguments, isUpper: false)
        case .arrayToString: joined(arguments)
        case .makeArray: made(arguments)
        default: nil
        }
    }

    /// [array, subscript]
    private static func element(_ arguments: [Datum]) -> Datum {
        guard case .integer(let number) = arguments[1], let place = Int(exactly: number) else { return .null }
        let all = elements(arguments[0])
        let (index, overflow) = place.subtractingReportingOverflow(lowest(arguments[0]))
        return !overflow && all.indices.contains(index) ? .string(all[index]) : .null
    }

    /// [array, dimension]: NULL for empty arrays and other dimensions than the first.
    private static func bound(_ arguments: [Datum], isUpper: Bool) -> Datum {
        let count = elements(arguments[0]).count
        if count == 0 || arguments[1] != .integer(1) { return .null }
        let low = lowest(arguments[0])
        return .integer(Int128(isUpper ? low + count - 1 : low))
    }

    private static func joined(_ arguments: [Datum]) -> Datum {
        guard case .string(let separator) = arguments[1] else { return .null }
        return .string(Array(elements(arguments[0]).joined(separator: separator)))
    }

    private static func made(_ arguments: [Datum]) -> Datum {
        let members = arguments.map { argument -> [UInt8]? in
            guard case .string(let bytes) = argument else { return nil }
            return bytes
        }
        return .string(ArrayText.text(of: members))
    }

    private static func lowest(_ array: Datum) -> Int {
        if case .string(let bytes) = array, bytes.first == UInt8(ascii: "{") { return 1 }
        return 0
    }

    /// The members of an array's text; NULL is its word.
    package static func elements(_ array: Datum) -> [[UInt8]] {
        guard case .string(let bytes) = array else { return [] }
        return ArrayText.members(bytes).map { $0 ?? ArrayText.nullWord }
    }
}
