import ColumnVectors
import Glibc
import Platform
import QueryPlan
import SQLTypes

/// An expression of parameters and constants that is computed again and again, one row at a time, without a query:
/// compiled once into the steps of a pipeline over one batch of one row. Confined to one thread, and to the statement
/// whose context it has.
package final class RowExpression {
    private let steps: [Step]
    private let batch: Batch
    private let inputs: [Register]
    private let output: Register
    /// Steps know their pipeline.
    private let pipeline: Pipeline

    /// - Parameter parameters: types of `$1`, `$2`, ... in canonical form.
    package init(_ expression: BoundExpression, parameters: [SQLType], context: ExecutionContext) throws {
        pipeline = Pipeline(context: context, source: OneRow())
        pipeline.evaluatesDomains = false
        let pipeline = pipeline
        inputs = parameters.map { pipeline.makeRegister($0, $0.physical, nullable: true) }
        pipeline.parameters = inputs
        output = try pipeline.canonical(try pipeline.compile(expression))
        pipeline.emit(KeepOutput(output))
        pipeline.complete()
        steps = pipeline.steps
        for step in steps { try step.prepare(workers: 1) }
        do {
            batch = try Batch(
                worker: 0, capacity: 1, registers: pipeline.registers, grant: context.grant, groupRows: 1)
        } catch {
            throw SQLError(error)
        }
    }

    deinit { pipeline.dissolve() }

    /// - Parameter values: of the parameters' types.
    package func value(_ values: [Datum]) throws -> Datum {
        batch.arena.removeAll()
        batch.count = 1
        batch.identity = true
        batch.masked = false
        batch.window = 0
        for (register, value) in zip(inputs, values) { try set(register, value) }
        try drive(steps, from: 0, batch)
        return read(output)
    }

    private func set(_ register: Register, _ value: Datum) throws {
        let slot = batch.slots + register.index
        let data = slot.pointee.ownData
        slot.pointee.data = data
        slot.pointee.validity = nil
        switch value {
        case .null:
            memset(data, 0, register.physical.byteWidth)
            if register.physical == .string { data.storeBytes(of: StringView.empty, as: StringView.self) }
            slot.pointee.ownValidity.pointee = 0
            slot.pointee.validity = slot.pointee.ownValidity
        case .integer(let number): try store(number, data, register)
        case .interval(let interval): try store(interval.packed, data, register)
        case .double(let number):
            guard register.physical == .float64 else { throw unexpectedForm(register) }
            data.storeBytes(of: number, as: Double.self)
        case .string(let bytes):
            guard register.physical == .string else { throw unexpectedForm(register) }
            let view = try bytes.withUnsafeBufferPointer { try batch.arena.copy($0) }
            data.storeBytes(of: view, as: StringView.self)
        }
    }

    private func store(_ number: Int128, _ data: UnsafeMutableRawPointer, _ register: Register) throws {
        switch register.physical {
        case .uint8: data.storeBytes(of: UInt8(truncatingIfNeeded: number), as: UInt8.self)
        case .uint16: data.storeBytes(of: UInt16(truncatingIfNeeded: number), as: UInt16.self)
        case .int32: data.storeBytes(of: Int32(truncatingIfNeeded: number), as: Int32.self)
        case .int64: data.storeBytes(of: Int64(truncatingIfNeeded: number), as: Int64.self)
        case .int128: data.storeBytes(of: number, as: Int128.self)
        case .float64, .string: throw unexpectedForm(register)
        }
    }

    private func read(_ register: Register) -> Datum {
        if let constant = register.constant { return constant }
        let slot = batch.slots[register.index]
        if let validity = slot.validity, validity.pointee == 0 { return .null }
        let data = slot.data
        switch register.physical {
        case .uint8: return .integer(Int128(data.load(as: UInt8.self)))
        case .uint16: return .integer(Int128(data.load(as: UInt16.self)))
        case .int32: return .integer(Int128(data.load(as: Int32.self)))
        case .int64: return .integer(Int128(data.load(as: Int64.self)))
        case .int128:
            let value = data.load(as: Int128.self)
            return register.type == .interval ? .interval(Interval(packed: value)) : .integer(value)
        case .float64: return .double(data.load(as: Double.self))
        case .string: return .string(Array(data.load(as: StringView.self).bytes))
        }
    }

    private final class OneRow: PipelineSource {
        override var rowCount: Int { 1 }
        override var morselCount: Int { 1 }
    }

    /// Reads the result, so that steps in front leave it where it is.
    private final class KeepOutput: Step {
        init(_ register: Register) { super.init(inputs: [register.index], outputs: []) }
    }
}
