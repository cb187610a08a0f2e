import Glibc
import Platform
import QueryPlan
import SQLTypes

extension Pipeline {
    /// A call of a kernel from the function table, over arguments in canonical form.
    func functionCall(_ function: ScalarFunction, _ arguments: [BoundExpression], _ type: SQLType) throws -> Register {
        if function == .concatenate, let pieces = longChain(arguments) {
            return try callKernel(StringBuildingFunctions.concatenateAll, pieces.map { try compile($0) }, type)
        }
        return try callKernel(FunctionKernels.kernel(for: function), arguments.map { try compile($0) }, type)
    }

    /// The pieces of `a || b || c ...` when there are many.
    private func longChain(_ arguments: [BoundExpression]) -> [BoundExpression]? {
        var pieces: [BoundExpression] = []
        var rest = arguments
        while rest.count == 2 {
            pieces.append(rest[1])
            guard case .call(.concatenate, let inner, _) = rest[0] else { break }
            rest = inner
        }
        pieces.append(contentsOf: rest.prefix(1))
        return pieces.count > 16 ? pieces.reversed() : nil
    }

    func callKernel(_ kernel: FunctionKernel, _ arguments: [Register], _ type: SQLType) throws -> Register {
        if case .strict = kernel.nulls, arguments.contains(where: { $0.constant == .null }) {
            return constant(.null, type)
        }
        let inputs = try arguments.map { try canonical($0) }
        let site = FunctionSite(
            arguments: inputs.map(\.type), constants: inputs.map(\.constant), result: type, context: context)
        let body = try kernel.make(site)
        let bounds = type.valueBounds
        let bounded = type.physical.isInteger && type != .interval
        let output = makeRegister(
            type, type.physical, lower: bounded ? bounds.lower : nil, upper: bounded ? bounds.upper : nil,
            nullable: true)
        emit(FunctionCall(inputs, output, kernel.nulls, guardRegister, context.cancellation, body))
        return output
    }
}

/// Calls a function body for the rows that count: not NULL (strict functions) and inside of the CASE branch.
final class FunctionCall: Step {
    private let arguments: [Register]
    private let output: Register
    private let nulls: FunctionKernel.NullHandling
    private let guardRegister: Int?
    private let cancellation: CancellationToken
    private let body: (FunctionFrame) throws -> Void

    init(
        _ arguments: [Register], _ output: Register, _ nulls: FunctionKernel.NullHandling, _ guardRegister: Int?,
        _ cancellation: CancellationToken, _ body: @escaping (FunctionFrame) throws -> Void
    ) {
        self.arguments = arguments
        self.output = output
        self.nulls = nulls
        self.guardRegister = guardRegister
        self.cancellation = cancellation
        self.body = body
        super.init(
            inputs: arguments.map(\.index) + (guardRegister.map { [$0] } ?? []), outputs: [output.index])
    }

    override func run(_ batch: Batch) throws {
        // Results of 65,535 bytes make a morsel a matter of seconds.
        try cancellation.check()
        let n = batch.count
        let result = UnsafeMutableRawPointer(batch.output(output.index, UInt8.self))
        let valid = batch.outputValidity(output.index)
        memset(valid, 1, n)
        if case .strict = nulls {
            for argument in arguments {
                if let bytes = batch.validity(argument.index) { andBytes(valid, bytes, n) }
            }
        }
        var rows: UnsafePointer<UInt16>?
        var count = n
        let mask = batch.scratchMask
        memcpy(mask, valid, n)
        if let guardRegister { andBytes(mask, batch.values(guardRegister, UInt8.self), n) }
        if memchr(mask, 0, n) != nil {
            // Rows that are skipped must still hold something harmless.
            memset(result, 0, n * output.physical.byteWidth)
            count = positionsOfSetBytes(mask, n, batch.positions)
            rows = UnsafePointer(batch.positions)
        }
        let frame = FunctionFrame(
            count: n, rows: rows, rowCount: count,
            arguments: arguments.map {
                .init(data: UnsafeRawPointer(batch.slots[$0.index].data), validity: batch.validity($0.index))
            },
            result: result, resultValidity: valid, arena: batch.arena)
        if count > 0 { try body(frame) }
        if memchr(valid, 0, n) == nil {
            batch.slots[output.index].validity = nil
        } else if output.type == .boolean {
            zeroNulls(batch, output.index)
        }
    }
}
