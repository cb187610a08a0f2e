import QueryPlan
import SQLTypes

extension Pipeline {
    /// GREATEST and LEAST of integers, decimals and moments in the narrowest form that holds all of them; nil for other
    /// types. NULLs do not take part: the result is NULL where all are.
    func extreme(_ arguments: [Register], greatest: Bool, _ type: SQLType) -> Register? {
        guard arguments.count > 1, type.physical.isInteger, type != .interval,
            arguments.allSatisfy({ $0.isInteger && $0.constant != .null })
        else { return nil }
        let lower = arguments.map(\.lower).min() ?? 0, upper = arguments.map(\.upper).max() ?? 0
        let form = PhysicalType.narrowest(lower, upper)
        var result = widen(arguments[0], to: form)
        for argument in arguments.dropFirst() {
            let output = makeRegister(
                type, form, lower: lower, upper: upper, nullable: result.nullable && argument.nullable)
            emit(Extreme(result, widen(argument, to: form), output, greatest: greatest))
            result = output
        }
        return result
    }
}

/// The greater or the lesser value of two registers of one form.
private final class Extreme: Step {
    private let a: Int, b: Int
    private let output: Register
    private let greatest: Bool
    override var acceptsMask: Bool { true }

    init(_ a: Register, _ b: Register, _ output: Register, greatest: Bool) {
        self.a = a.index
        self.b = b.index
        self.output = output
        self.greatest = greatest
        super.init(inputs: [a.index, b.index], outputs: [output.index])
    }

    override func run(_ batch: Batch) throws {
        switch output.physical {
        case .uint8: loop(batch, UInt8.self)
        case .uint16: loop(batch, UInt16.self)
        case .int32: loop(batch, Int32.self)
        case .int64: loop(batch, Int64.self)
        default: loop(batch, Int128.self)
        }
    }

    @inline(__always) private func loop<T: FixedWidthInteger>(_ batch: Batch, _: T.Type) {
        let x = batch.values(a, T.self), y = batch.values(b, T.self), n = batch.count
        let o = batch.output(output.index, T.self)
        if greatest {
            for i in 0..<n { o[i] = x[i] > y[i] ? x[i] : y[i] }
        } else {
            for i in 0..<n { o[i] = x[i] < y[i] ? x[i] : y[i] }
        }
        let validX = batch.validity(a), validY = batch.validity(b)
        if let validX { for i in 0..<n where validX[i] == 0 { o[i] = y[i] } }
        if let validY { for i in 0..<n where validY[i] == 0 { o[i] = x[i] } }
        guard let validX, let validY else {
            batch.slots[output.index].validity = nil
            return
        }
        let valid = batch.outputValidity(output.index)
        for i in 0..<n { valid[i] = validX[i] | validY[i] }
    }
}
