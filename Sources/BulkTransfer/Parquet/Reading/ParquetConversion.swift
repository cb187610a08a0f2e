import Catalog
import ColumnVectors
import SQLTypes

/// How the values of a file's column become those of a table's: everything that does not change during a file.
struct ParquetConversion {
    enum Kind: Hashable {
        case truth
        /// Integers, decimals in integers, dates, times and timestamps.
        case integers(IntegerSource)
        /// Decimals in bytes.
        case decimalBytes
        /// Integers and decimals, to floating point; with the scale.
        case integersToFloat(IntegerSource, scale: Int)
        case decimalBytesToFloat(scale: Int)
        case float32
        case float64
        case float16
        case timestamp96
        case text
        case uuid
        /// The file has NULLs only.
        case nothing
    }
    let plan: ColumnPlan
    let kind: Kind
    let scaling: IntegerScaling
    /// Of the table's values; those of 128 bits are looked at more closely.
    let bounds: ClosedRange<Int64>
    /// A local time becomes a moment of the session's zone.
    let isLocalToMoment: Bool
    let fields: FieldConverter
    let context: DatetimeContext

    /// Bytes of a value in the table's form.
    var width: Int { plan.type.physical.byteWidth }

    init(_ leaf: ParquetLeaf, _ plan: ColumnPlan, _ options: CopyOptions, _ context: DatetimeContext) throws {
        guard let found = ParquetConversion.find(leaf, plan) else { throw IncompatibleColumn() }
        self.plan = plan
        kind = found.kind
        scaling = found.scaling
        bounds = ParquetConversion.bounds(plan)
        if case .timestamp(_, isUTC: false) = leaf.logical, case .timestamp(withZone: true) = plan.kind {
            isLocalToMoment = context.zone !== ZoneRules.utc
        } else {
            isLocalToMoment = false
        }
        fields = FieldConverter(options, context)
        self.context = context
    }

    /// A file's column cannot be loaded into the table's.
    struct IncompatibleColumn: Error {}

    private typealias Found = (kind: Kind, scaling: IntegerScaling)

    private static func find(_ leaf: ParquetLeaf, _ plan: ColumnPlan) -> Found? {
        if leaf.logical == .unknown { return (.nothing, .none) }
        switch leaf.physical {
        case .boolean: if case .boolean = plan.kind { return (.truth, .none) }
        case .int32, .int64: return integers(leaf, plan)
        case .int96: if case .timestamp = plan.kind { return (.timestamp96, .none) }
        case .float: if case .float = plan.kind { return (.float32, .none) }
        case .double: if case .float = plan.kind { return (.float64, .none) }
        case .byteArray, .fixedByteArray: return bytes(leaf, plan)
        }
        return nil
    }

    private static func integers(_ leaf: ParquetLeaf, _ plan: ColumnPlan) -> Found? {
        let isWide = leaf.physical == .int64
        let signed: IntegerSource = isWide ? .int64 : .int32
        switch (leaf.logical, plan.kind) {
        case (.none, _): return numbers(signed, scale: 0, plan)
        case (.integer(_, let isSigned), _):
            return numbers(isSigned ? signed : isWide ? .uint64 : .uint32, scale: 0, plan)
        case (.decimal(_, let scale), _): return numbers(signed, scale: scale, plan)
        case (.date, .date): return (.integers(signed), .none)
        case (.date, .timestamp(withZone: false)):
            return (.integers(signed), .multiply(Calendar.microsecondsPerDay))
        case (.time(let unit), .time(withZone: false)), (.timestamp(let unit, _), .timestamp):
            return (.integers(signed), scaling(unit))
        default: return nil
        }
    }

    private static func scaling(_ unit: ParquetUnit) -> IntegerScaling {
        switch unit {
        case .millis: .multiply(1000)
        case .micros: .none
        case .nanos: .divideDown(1000)
        }
    }

    private static func numbers(_ source: IntegerSource, scale: Int, _ plan: ColumnPlan) -> Found? {
        switch plan.kind {
        case .integer: return scale == 0 ? (.integers(source), .none) : nil
        case .decimal(_, let target, _): return scaling(from: scale, to: target).map { (.integers(source), $0) }
        case .float: return scale <= 38 ? (.integersToFloat(source, scale: scale), .none) : nil
        default: return nil
        }
    }

    private static func scaling(from source: Int, to target: Int) -> IntegerScaling? {
        if source == target { return IntegerScaling.none }
        guard source <= 38, let power = PowersOfTen.power(abs(target - source)).flatMap(Int64.init(exactly:)) else {
            return nil
        }
        return target > source ? .multiply(power) : .truncate(power)
    }

    private static func bytes(_ leaf: ParquetLeaf, _ plan: ColumnPlan) -> Found? {
        switch (leaf.logical, plan.kind) {
        case (.decimal(_, let scale), .decimal(_, let target, _)):
            return scaling(from: scale, to: target).map { (.decimalBytes, $0) }
        case (.decimal(_, let scale), .float): return scale <= 38 ? (.decimalBytesToFloat(scale: scale), .none) : nil
        case (.float16, .float): return leaf.length == 2 ? (.float16, .none) : nil
        case (.uuid, .char), (.uuid, .varchar): return leaf.length == 16 ? (.uuid, .none) : nil
        case (.string, .char), (.string, .varchar), (.none, .char), (.none, .varchar), (.none, .bytes):
            return (.text, .none)
        default: return nil
        }
    }

    private static func bounds(_ plan: ColumnPlan) -> ClosedRange<Int64> {
        switch plan.kind {
        case .integer(let lowest, let highest): return lowest...highest
        case .decimal(let precision, _, _):
            let range = DecimalArithmetic.range(precision: precision)
            return Int64(clamping: range.lower)...Int64(clamping: range.upper)
        case .date: return Calendar.minimumDay...Calendar.maximumDay
        case .timestamp: return Calendar.minimumTimestamp...Calendar.maximumTimestamp
        case .time: return 0...Calendar.microsecondsPerDay
        case .interval(let fields):
            let bounds = fields.type.valueBounds
            return Int64(clamping: bounds.lower)...Int64(clamping: bounds.upper)
        case .boolean, .float, .char, .varchar, .bytes, .document, .sketch: return .min ... .max
        }
    }
}
