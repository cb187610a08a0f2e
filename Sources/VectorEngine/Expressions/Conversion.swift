import ColumnStore
import ColumnVectors
import Glibc
import QueryPlan
import SQLTypes

extension Pipeline {
    /// The value in the canonical form of its SQL type: strings as views, integers at full width.
    func canonical(_ register: Register) throws -> Register {
        if register.dictionary != nil { return decoded(register) }
        let wanted = register.type.physical
        if register.physical == wanted || !register.physical.isInteger || !wanted.isInteger { return register }
        return widen(register, to: wanted)
    }

    /// An integer register in a wider form (or a narrower one, where the bounds fit it).
    func widen(_ register: Register, to physical: PhysicalType) -> Register {
        if register.physical == physical { return register }
        if let datum = register.constant {
            return makeRegister(
                register.type, physical, lower: register.lower, upper: register.upper, nullable: register.nullable,
                constant: datum)
        }
        if let known = conversions[Conversion(register: register.index, to: physical)] { return use(known) }
        let output = makeRegister(
            register.type, physical, lower: register.lower, upper: register.upper, nullable: register.nullable)
        emit(Widen(register, output))
        conversions[Conversion(register: register.index, to: physical)] = output.index
        return output
    }

    /// Dictionary codes as strings.
    func decoded(_ register: Register) -> Register {
        guard let dictionary = register.dictionary else { return register }
        if let known = conversions[Conversion(register: register.index, to: .string)] { return use(known) }
        let output = makeRegister(
            register.type, .string, nullable: register.nullable, trailingBlanks: register.trailingBlanks)
        emit(DecodeDictionary(register, dictionary, output))
        conversions[Conversion(register: register.index, to: .string)] = output.index
        return output
    }

    /// An integer, decimal or float register as doubles.
    func toDouble(_ register: Register) throws -> Register {
        if register.physical == .float64 { return register }
        if case .integer(let value) = register.constant {
            return constant(.double(Datum.decimalToDouble(value, scale: register.type.scale)), .double)
        }
        if register.constant == .null { return constant(.null, .double) }
        if let known = conversions[Conversion(register: register.index, to: .float64)] { return use(known) }
        let output = makeRegister(.double, .float64, nullable: register.nullable)
        emit(IntegerToDouble(register, output))
        conversions[Conversion(register: register.index, to: .float64)] = output.index
        return output
    }

    /// The same values under another SQL type, without copying.
    func relabeled(_ register: Register, _ type: SQLType) -> Register {
        if register.type == type { return register }
        if let datum = register.constant {
            return makeRegister(
                type, register.physical, lower: register.lower, upper: register.upper, nullable: register.nullable,
                trailingBlanks: register.trailingBlanks, constant: datum)
        }
        let output = makeRegister(
            type, register.physical, lower: register.lower, upper: register.upper, nullable: register.nullable,
            dictionary: register.dictionary, trailingBlanks: register.trailingBlanks)
        emit(Alias(register, output))
        return output
    }
}

/// Another name for a register's values. Its index is higher than the original's, which compaction relies on.
final class Alias: Step {
    private let input: Int, output: Int
    override var acceptsMask: Bool { true }
    init(_ input: Register, _ output: Register) {
        self.input = input.index
        self.output = output.index
        super.init(inputs: [input.index], outputs: [output.index])
    }
    override func run(_ batch: Batch) throws {
        batch.slots[output].data = batch.slots[input].data
        batch.slots[output].validity = batch.slots[input].validity
    }
}

/// Copies integers into the output's own memory, in the output's form.
final class Widen: Step {
    private let input: Register, output: Register
    override var acceptsMask: Bool { true }
    init(_ input: Register, _ output: Register) {
        self.input = input
        self.output = output
        super.init(inputs: [input.index], outputs: [output.index])
    }
    override func run(_ batch: Batch) throws {
        switch output.physical {
        case .uint8: from(batch, UInt8.self)
        case .uint16: from(batch, UInt16.self)
        case .int32: from(batch, Int32.self)
        case .int64: from(batch, Int64.self)
        case .int128: from(batch, Int128.self)
        case .float64, .string: break
        }
        batch.combineValidity(output.index, inputs)
    }
    @inline(__always) private func from<D: FixedWidthInteger>(_ batch: Batch, _: D.Type) {
        switch input.physical {
        case .uint8: loop(batch, UInt8.self, D.self)
        case .uint16: loop(batch, UInt16.self, D.self)
        case .int32: loop(batch, Int32.self, D.self)
        case .int64: loop(batch, Int64.self, D.self)
        case .int128: loop(batch, Int128.self, D.self)
        case .float64, .string: break
        }
    }
    @inline(__always) private func loop<S: FixedWidthInteger, D: FixedWidthInteger>(
        _ batch: Batch, _: S.Type, _: D.Type
    ) {
        let x = batch.values(input.index, S.self), o = batch.output(output.index, D.self), n = batch.count
        for i in 0..<n { o[i] = D(truncatingIfNeeded: x[i]) }
    }
}

private final class DecodeDictionary: Step {
    private let input: Register, output: Register
    private let dictionaryOwner: AnyObject
    private let views: UnsafePointer<StringView>
    override var acceptsMask: Bool { true }

    init(_ input: Register, _ dictionary: TextDictionary, _ output: Register) {
        self.input = input
        self.output = output
        dictionaryOwner = dictionary
        views = dictionary.views
        super.init(inputs: [input.index], outputs: [output.index])
    }
    override func run(_ batch: Batch) throws {
        let o = batch.output(output.index, StringView.self), v = views, n = batch.count
        if input.physical == .uint8 {
            let x = batch.values(input.index, UInt8.self)
            for i in 0..<n { o[i] = v[Int(x[i])] }
        } else {
            let x = batch.values(input.index, UInt16.self)
            for i in 0..<n { o[i] = v[Int(x[i])] }
        }
        batch.combineValidity(output.index, inputs)
    }
}

/// The nearest double, as ``Datum/decimalToDouble(_:scale:)`` gives it: one division where value and power of ten are
/// exact, the long way elsewhere.
private final class IntegerToDouble: Step {
    private let input: Register, output: Register
    private let scale: Int
    private let divisor: Double
    /// All values and the power of ten are exact doubles.
    private let isExact: Bool
    private static let exactScale = 22
    private static let exactValue = 1 << 53
    override var acceptsMask: Bool { true }

    init(_ input: Register, _ output: Register) {
        self.input = input
        self.output = output
        scale = input.type.scale
        divisor = PowersOfTen.double[min(scale, IntegerToDouble.exactScale)]
        let limit = Int128(IntegerToDouble.exactValue)
        isExact = scale <= IntegerToDouble.exactScale && input.lower >= -limit && input.upper <= limit
        super.init(inputs: [input.index], outputs: [output.index])
    }
    override func run(_ batch: Batch) throws {
        switch input.physical {
        case .uint8: loop(batch, UInt8.self)
        case .uint16: loop(batch, UInt16.self)
        case .int32: loop(batch, Int32.self)
        case .int64: loop(batch, Int64.self)
        case .int128: loop(batch, Int128.self)
        case .float64, .string: break
        }
        batch.combineValidity(output.index, inputs)
    }
    @inline(__always) private func loop<S: FixedWidthInteger>(_ batch: Batch, _: S.Type) {
        let x = batch.values(input.index, S.self), o = batch.output(output.index, Double.self), n = batch.count
        if scale == 0 {
            for i in 0..<n { o[i] = Double(x[i]) }
        } else if isExact {
            for i in 0..<n { o[i] = Double(x[i]) / divisor }
        } else {
            let largest = scale <= IntegerToDouble.exactScale ? S.Magnitude(clamping: IntegerToDouble.exactValue) : 0
            for i in 0..<n {
                o[i] =
                    x[i].magnitude <= largest
                    ? Double(x[i]) / divisor : Datum.decimalToDouble(Int128(x[i]), scale: scale)
            }
        }
    }
}
