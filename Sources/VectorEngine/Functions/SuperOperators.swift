import ColumnVectors
import QueryPlan
import SQLTypes

/// Navigation, order and arithmetic of SUPER: what the binder writes for paths and operators.
enum SuperOperators {
    static func kernel(_ function: ScalarFunction) -> FunctionKernel? {
        switch function {
        case .superMember: member
        case .superElement: element
        case .superKey: .bytes { frame, row, buffer in try SuperKey.append(frame.semistructured(0, row), to: buffer) }
        case .superOrder: order
        case .superOrdered: ordered
        case .superUnordered: unordered
        case .superAdd: arithmetic(.add)
        case .superSubtract: arithmetic(.subtract)
        case .superMultiply: arithmetic(.multiply)
        case .superDivide: arithmetic(.divide)
        case .superModulo: arithmetic(.modulo)
        case .superAbsolute: absolute
        case .superCeiling: rounded(.up, up: true)
        case .superFloor: rounded(.down, up: false)
        default: nil
        }
    }

    // MARK: Navigation

    private static func isStrict(_ frame: FunctionFrame, _ row: Int) -> Bool {
        frame.arguments[2].values(UInt8.self)[row] != 0
    }

    private static func missing(_ what: String, _ view: SuperView) throws -> SQLError {
        SQLError(
            .dataException, "navigation on SUPER leads nowhere: a value of type \(try view.kind().name) has no \(what)",
            hint: "With navigate_super_null_on_error on, such paths are NULL.")
    }

    private static let member = FunctionKernel.found { frame, row, view in
        let name = frame.string(1, row)
        if try view.kind() == .object, let found = try view.container().member(name.bytes) { return found }
        if isStrict(frame, row) {
            throw try missing("attribute \(TextInput.quoted(name.pointer, Int(name.count)))", view)
        }
        return nil
    }

    /// Places count from 0.
    private static let element = FunctionKernel.found { frame, row, view in
        let place = frame.arguments[1].values(Int64.self)[row]
        if try view.kind() == .array {
            let container = try view.container()
            if place >= 0, place < Int64(container.count) { return try container.value(Int(place)) }
        }
        if isStrict(frame, row) { throw try missing("element \(place)", view) }
        return nil
    }

    // MARK: Order

    private static let order = FunctionKernel { _ in
        { frame in
            let scratch = TextBuffer()
            defer { withExtendedLifetime(scratch) {} }
            let output = frame.output(Int32.self)
            try frame.forEachRow { row in
                let (left, right) = (frame.semistructured(0, row), frame.semistructured(1, row))
                if let order = try SuperKey.order(left, right, scratch) {
                    output[row] = Int32(order.signum())
                } else {
                    output[row] = 0
                    frame.resultValidity[row] = 0
                }
            }
        }
    }

    private static let ordered = FunctionKernel.bytes { frame, row, buffer in
        let view = frame.semistructured(0, row)
        try SuperKey.append(view, to: buffer)
        let length = UInt32(truncatingIfNeeded: buffer.count)
        buffer.append(view.bytes)
        for shift in [24, 16, 8, 0] as [UInt32] { buffer.append(UInt8(truncatingIfNeeded: length >> shift)) }
    }

    private static let unordered = FunctionKernel.part { _, _, view in
        let bytes = view.bytes
        guard bytes.count >= 4 else { throw SuperForm.damage }
        let length = bytes[(bytes.count - 4)...].reduce(0) { $0 << 8 | Int($1) }
        guard length < bytes.count - 4 else { throw SuperForm.damage }
        return StringView(view.pointer + length, count: bytes.count - 4 - length)
    }

    // MARK: Arithmetic

    /// NULL where a side is no number.
    private static func arithmetic(_ operation: SuperArithmetic.Operation) -> FunctionKernel {
        .built { frame, row, builder in
            try SuperArithmetic.append(
                operation, frame.semistructured(0, row), frame.semistructured(1, row), to: builder)
        }
    }

    /// To a whole number: a decimal of scale 0, or a double.
    private static func rounded(_ rule: FloatingPointRoundingRule, up: Bool) -> FunctionKernel {
        .built { frame, row, builder in
            let view = frame.semistructured(0, row)
            switch try view.kind() {
            case .integer: builder.integer(try view.integer())
            case .decimal:
                let (value, scale) = try view.decimal()
                guard let power = PowersOfTen.power(scale) else { throw SuperForm.damage }
                let (quotient, rest) = value.quotientAndRemainder(dividingBy: power)
                builder.decimal(quotient + (up && rest > 0 ? 1 : !up && rest < 0 ? -1 : 0), scale: 0)
            case .double: builder.double(try view.double().rounded(rule))
            default: return false
            }
            return true
        }
    }

    private static let absolute = FunctionKernel.built { frame, row, builder in
        let view = frame.semistructured(0, row)
        switch try view.kind() {
        case .integer:
            let value = try view.integer()
            guard value != .min else { throw SQLError(.numericOutOfRange, "bigint out of range") }
            builder.integer(value < 0 ? -value : value)
        case .decimal:
            let (value, scale) = try view.decimal()
            builder.decimal(value < 0 ? -value : value, scale: scale)
        case .double: builder.double(try view.double().magnitude)
        default: return false
        }
        return true
    }
}
