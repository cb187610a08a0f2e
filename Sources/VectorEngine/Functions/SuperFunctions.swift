import ColumnVectors
import QueryPlan
import SQLTypes

/// JSON text from and to SUPER, and questions about a value.
enum SuperFunctions {
    static func kernel(_ function: ScalarFunction) -> FunctionKernel? {
        switch function {
        case .jsonParse: parse
        case .canJsonParse: canParse
        case .jsonSerialize: serialize
        case .jsonSerializeToBytes: serializeToBytes
        case .jsonTypeOf: .text { frame, row, buffer in buffer.append(try frame.semistructured(0, row).kind().name) }
        case .jsonSize: size
        case .superSize: .asked { Int32(truncatingIfNeeded: $0.count) }
        case .superIsArray: .test { try $0.kind() == .array }
        case .superIsObject: .test { try $0.kind() == .object }
        case .superIsBoolean: .test { try $0.kind().isBoolean }
        case .superIsVarchar: .test { try $0.kind() == .string }
        case .superIsChar: .test { try $0.kind() == .string && $0.text().allSatisfy { $0 < 0x80 } }
        case .superIsFloat: .test { try $0.kind() == .double }
        case .superIsDecimal: .test { try $0.kind() == .decimal || $0.kind() == .integer }
        case .superIsScalar: .test { try !$0.kind().isContainer && $0.kind() != .null }
        case .superIsBigint: .test { try isInteger($0, Int64.self) }
        case .superIsInteger: .test { try isInteger($0, Int32.self) }
        case .superIsSmallint: .test { try isInteger($0, Int16.self) }
        case .superDecimalPrecision: .asked { Int32(try shape($0).precision) }
        case .superDecimalScale: .asked { Int32(try shape($0).scale) }
        default: nil
        }
    }

    /// [text, malformed texts are NULL]
    private static let parse = FunctionKernel.built { frame, row, builder in
        let isLax = frame.arguments[1].values(UInt8.self)[row] != 0
        do {
            try SuperParser.parse(frame.string(0, row).bytes, into: builder)
        } catch is SQLError where isLax {
            return false
        }
        return true
    }

    private static let canParse = FunctionKernel { _ in
        { frame in
            let builder = SuperBuilder()
            let output = frame.output(UInt8.self)
            frame.forEachRow { output[$0] = b2u(SuperParser.accepts(frame.string(0, $0).bytes, builder)) }
        }
    }

    private static let serialize = FunctionKernel.text { frame, row, buffer in
        try SuperText.append(frame.semistructured(0, row), to: buffer, limit: SQLType.maximumVarcharLength)
    }
    private static let serializeToBytes = FunctionKernel.bytes { frame, row, buffer in
        try SuperText.append(frame.semistructured(0, row), to: buffer)
    }

    /// Bytes of the JSON text.
    private static let size = FunctionKernel { _ in
        { frame in
            let buffer = TextBuffer()
            let output = frame.output(Int32.self)
            try frame.forEachRow { row in
                buffer.removeAll()
                try SuperText.append(frame.semistructured(0, row), to: buffer)
                output[row] = Int32(clamping: buffer.count)
            }
        }
    }

    /// A whole number, as a decimal of scale 0 also is one.
    private static func isInteger<Value: FixedWidthInteger>(_ view: SuperView, _: Value.Type) throws -> Bool {
        switch try view.kind() {
        case .integer: return Value(exactly: try view.integer()) != nil
        case .decimal:
            let (value, scale) = try view.decimal()
            return scale == 0 && Value(exactly: value) != nil
        default: return false
        }
    }

    private static func shape(_ view: SuperView) throws -> DecimalRules.Shape {
        switch try view.kind() {
        case .integer: return SuperArithmetic.digits((Int128(try view.integer()), 0))
        case .decimal: return SuperArithmetic.digits(try view.decimal())
        default:
            throw SQLError(
                .invalidParameterValue, "a SUPER \(try view.kind().name) that is no decimal has no precision")
        }
    }
}

extension FunctionFrame {
    /// The SUPER argument of a row.
    @inline(__always) func semistructured(_ argument: Int, _ row: Int) -> SuperView {
        let view = string(argument, row)
        return SuperView(view.pointer, Int(view.count))
    }

    /// A part of an argument as the row's result: nothing is copied.
    @inline(__always) func put(_ view: SuperView, _ row: Int) {
        output(StringView.self)[row] = StringView(view.base, count: view.count)
    }
}

extension FunctionKernel {
    /// A function that builds a SUPER value; NULL where the body says false.
    static func built(
        nulls: NullHandling = .strict, _ body: @escaping (FunctionFrame, Int, SuperBuilder) throws -> Bool
    ) -> FunctionKernel {
        FunctionKernel(nulls: nulls) { _ in
            { frame in
                let builder = SuperBuilder()
                defer { withExtendedLifetime(builder) {} }
                let output = frame.output(StringView.self)
                try frame.forEachRow { row in
                    builder.removeAll()
                    guard try body(frame, row, builder) else {
                        output[row] = .empty
                        frame.resultValidity[row] = 0
                        return
                    }
                    guard builder.bytes.count <= SuperForm.maximumBytes else { throw SuperForm.tooLong }
                    output[row] = try frame.arena.copy(builder.bytes)
                }
            }
        }
    }

    /// A function whose result is a part of its first argument; NULL where the body finds none.
    static func found(_ body: @escaping (FunctionFrame, Int, SuperView) throws -> SuperView?) -> FunctionKernel {
        FunctionKernel { _ in
            { frame in
                try frame.forEachRow { row in
                    if let view = try body(frame, row, frame.semistructured(0, row)) {
                        frame.put(view, row)
                    } else {
                        frame.output(StringView.self)[row] = .empty
                        frame.resultValidity[row] = 0
                    }
                }
            }
        }
    }

    static func test(_ body: @escaping (SuperView) throws -> Bool) -> FunctionKernel {
        FunctionKernel { _ in
            { frame in
                let output = frame.output(UInt8.self)
                try frame.forEachRow { output[$0] = b2u(try body(frame.semistructured(0, $0))) }
            }
        }
    }

    static func asked(_ body: @escaping (SuperView) throws -> Int32) -> FunctionKernel {
        FunctionKernel { _ in
            { frame in
                let output = frame.output(Int32.self)
                try frame.forEachRow { output[$0] = try body(frame.semistructured(0, $0)) }
            }
        }
    }
}
