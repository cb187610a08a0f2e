import ColumnVectors
import QueryPlan
import SQLTypes

extension FunctionKernel: @unchecked Sendable {}  // bodies capture only immutable values

/// Common shapes of kernels, so that a function is written for one row. Strict ones see only rows without NULLs.
extension FunctionKernel {
    static func unary<A, R>(_: A.Type, _: R.Type, _ body: @escaping (A) throws -> R) -> FunctionKernel {
        FunctionKernel { _ in
            { frame in
                let input = frame.arguments[0].values(A.self)
                let output = frame.output(R.self)
                try frame.forEachRow { output[$0] = try body(input[$0]) }
            }
        }
    }

    static func binary<A, B, R>(
        _: A.Type, _: B.Type, _: R.Type, _ body: @escaping (A, B) throws -> R
    ) -> FunctionKernel {
        FunctionKernel { _ in
            { frame in
                let first = frame.arguments[0].values(A.self)
                let second = frame.arguments[1].values(B.self)
                let output = frame.output(R.self)
                try frame.forEachRow { output[$0] = try body(first[$0], second[$0]) }
            }
        }
    }

    static func ternary<A, B, C, R>(
        _: A.Type, _: B.Type, _: C.Type, _: R.Type, _ body: @escaping (A, B, C) throws -> R
    ) -> FunctionKernel {
        FunctionKernel { _ in
            { frame in
                let first = frame.arguments[0].values(A.self)
                let second = frame.arguments[1].values(B.self)
                let third = frame.arguments[2].values(C.self)
                let output = frame.output(R.self)
                try frame.forEachRow { output[$0] = try body(first[$0], second[$0], third[$0]) }
            }
        }
    }

    static func boolean(_ body: @escaping (StringView) throws -> Bool) -> FunctionKernel {
        unary(StringView.self, UInt8.self) { b2u(try body($0)) }
    }

    /// A function that writes its result text into a buffer.
    static func text(_ body: @escaping (FunctionFrame, Int, TextBuffer) throws -> Void) -> FunctionKernel {
        FunctionKernel { _ in
            { frame in
                let result = TextResult(frame)
                try frame.forEachRow { row in
                    try body(frame, row, result.buffer)
                    try result.put(row)
                }
            }
        }
    }

    /// A function whose result is a part of its first argument: nothing is copied.
    static func part(_ body: @escaping (FunctionFrame, Int, StringView) throws -> StringView) -> FunctionKernel {
        FunctionKernel { _ in
            { frame in
                let input = frame.arguments[0].values(StringView.self)
                let output = frame.output(StringView.self)
                try frame.forEachRow { output[$0] = try body(frame, $0, input[$0]) }
            }
        }
    }

    /// A function that is listed in a family but has no entry there; a test keeps this unreachable.
    static func missing(_ function: ScalarFunction) -> FunctionKernel {
        FunctionKernel { _ in throw SQLError(.internalError, "function \(function.rawValue) has no kernel") }
    }

    /// A function that the session must have replaced by its value before the query runs.
    static func sessionFact(_ function: ScalarFunction) -> FunctionKernel {
        FunctionKernel { _ in
            throw SQLError(.featureNotSupported, "\(function.rawValue) is not known where the query runs")
        }
    }
}

/// Collects the text of one row after the other and copies it into the batch's arena.
struct TextResult {
    let buffer = TextBuffer()
    private let frame: FunctionFrame
    private let output: UnsafeMutablePointer<StringView>

    init(_ frame: FunctionFrame) {
        self.frame = frame
        output = frame.output(StringView.self)
    }

    /// Ends the row's text.
    func put(_ row: Int) throws {
        guard buffer.count <= SQLType.maximumVarcharLength else { throw TextLimit.exceeded }
        output[row] = try frame.arena.copy(buffer.bytes)
        buffer.removeAll()
    }
    func null(_ row: Int) {
        buffer.removeAll()
        output[row] = .empty
        frame.resultValidity[row] = 0
    }
}

/// No value of a string function is longer than the longest VARCHAR.
enum TextLimit {
    static var exceeded: SQLError {
        SQLError(
            .stringTooLong, "Value too long for character type",
            detail: "The result of a string function is limited to \(SQLType.maximumVarcharLength) bytes.")
    }
    /// Throws before so many more bytes are made.
    static func check(_ bytes: Int) throws { if bytes > SQLType.maximumVarcharLength { throw exceeded } }
}

extension FunctionFrame {
    /// The string argument of a row.
    @inline(__always) func string(_ argument: Int, _ row: Int) -> StringView {
        arguments[argument].values(StringView.self)[row]
    }
    @inline(__always) func int32(_ argument: Int, _ row: Int) -> Int {
        Int(arguments[argument].values(Int32.self)[row])
    }
    @inline(__always) func isNull(_ argument: Int, _ row: Int) -> Bool {
        guard let validity = arguments[argument].validity else { return false }
        return validity[row] == 0
    }
}

/// Reads any integer form of a SQL type's canonical vector.
struct WideInput {
    private let data: UnsafeRawPointer
    private let physical: PhysicalType
    init(_ frame: FunctionFrame, _ argument: Int, _ type: SQLType) {
        data = frame.arguments[argument].data
        physical = type.physical
    }
    @inline(__always) subscript(row: Int) -> Int128 {
        switch physical {
        case .uint8: Int128(data.assumingMemoryBound(to: UInt8.self)[row])
        case .uint16: Int128(data.assumingMemoryBound(to: UInt16.self)[row])
        case .int32: Int128(data.assumingMemoryBound(to: Int32.self)[row])
        case .int64: Int128(data.assumingMemoryBound(to: Int64.self)[row])
        default: data.assumingMemoryBound(to: Int128.self)[row]
        }
    }
}

/// Writes integers that fit the result type.
struct WideOutput {
    private let data: UnsafeMutableRawPointer
    private let physical: PhysicalType
    init(_ frame: FunctionFrame, _ type: SQLType) {
        data = frame.result
        physical = type.physical
    }
    @inline(__always) func put(_ row: Int, _ value: Int128) {
        switch physical {
        case .uint8: data.assumingMemoryBound(to: UInt8.self)[row] = UInt8(truncatingIfNeeded: value)
        case .uint16: data.assumingMemoryBound(to: UInt16.self)[row] = UInt16(truncatingIfNeeded: value)
        case .int32: data.assumingMemoryBound(to: Int32.self)[row] = Int32(truncatingIfNeeded: value)
        case .int64: data.assumingMemoryBound(to: Int64.self)[row] = Int64(truncatingIfNeeded: value)
        default: data.assumingMemoryBound(to: Int128.self)[row] = value
        }
    }
}

extension FunctionSite {
    /// The constant text of an argument.
    func text(_ argument: Int) -> [UInt8]? {
        guard argument < constants.count, case .string(let bytes)? = constants[argument] else { return nil }
        return bytes
    }
    func integer(_ argument: Int) -> Int? {
        guard argument < constants.count, case .integer(let value)? = constants[argument] else { return nil }
        return Int(exactly: value)
    }
}
