import ColumnStore
import ColumnVectors
import Glibc
import SQLTypes

/// A step of the verifying world (`SET redbarn_verify_vectors TO on`): runs the step, then checks what it wrote against
/// what its registers promise, and overwrites the values behind NULL, which nobody may depend on.
final class VerifiedStep: Step {
    private let step: Step
    private let verifier: VectorVerifier
    override var acceptsMask: Bool { step.acceptsMask }
    override var expands: Bool { step.expands }
    override var carried: CarrySet? { step.carried }
    override var unwrapped: Step { step }

    /// - Parameters:
    ///   - boundedLater: registers that a step of their own holds to their bounds.
    ///   - rowNumbers: registers that index memory, see ``Step/rowNumbers``.
    init(_ step: Step, _ registers: [Register], boundedLater: Set<Int>, rowNumbers: Set<Int>) {
        self.step = step
        let written = step.outputs + (step.carried?.pairs.map(\.to) ?? [])
        let bounded = step.boundedRegister.map { [$0] } ?? []
        verifier = VectorVerifier(
            "\(type(of: step))", (written + bounded).map { registers[$0] },
            unbounded: boundedLater.subtracting(bounded), rowNumbers: rowNumbers,
            leavesNullsOpen: step.leavesNullsOpen)
        super.init(inputs: step.inputs, outputs: step.outputs)
        section = step.section
        live = step.live
    }

    override func prepare(workers: Int) throws { try step.prepare(workers: workers) }
    override func finish(_ batch: Batch) throws { try step.finish(batch) }
    override func run(_ batch: Batch) throws {
        try step.run(batch)
        try verifier.verify(batch)
    }
    override func expand(_ batch: Batch, _ rest: (Batch) throws -> Void) throws {
        try step.expand(batch) { batch in
            try verifier.verify(batch)
            try rest(batch)
        }
    }
}

/// Checks the registers that one step has written.
struct VectorVerifier {
    private let name: String
    private let registers: [Register]
    private let unbounded: Set<Int>
    private let rowNumbers: Set<Int>
    private let leavesNullsOpen: Bool

    init(
        _ name: String, _ registers: [Register], unbounded: Set<Int>, rowNumbers: Set<Int>, leavesNullsOpen: Bool
    ) {
        self.name = name
        self.registers = registers
        self.unbounded = unbounded
        self.rowNumbers = rowNumbers
        self.leavesNullsOpen = leavesNullsOpen
    }

    func verify(_ batch: Batch) throws {
        guard batch.count >= 0, batch.count <= batch.capacity else {
            throw fault("a batch of \(batch.count) rows, for \(batch.capacity)")
        }
        try verifySelection(batch)
        if batch.count == 0 { return }
        for register in registers where !register.isConstant {
            try verifyNulls(register, batch)
            try verifyValues(register, batch)
            poison(register, batch)
        }
    }

    private func fault(_ what: String) -> SQLError { SQLError(.internalError, "\(name): \(what)") }
    private func fault(_ register: Register, _ row: Int, _ what: String) -> SQLError {
        fault("register \(register.index) (\(register.type), \(register.physical)), row \(row): \(what)")
    }

    /// Expanding steps repeat rows; nothing may turn them round.
    private func verifySelection(_ batch: Batch) throws {
        guard !batch.identity, batch.count > 1 else { return }
        for i in 1..<batch.count where batch.selection[i] < batch.selection[i - 1] {
            throw fault("the selection descends at row \(i)")
        }
    }

    private func verifyNulls(_ register: Register, _ batch: Batch) throws {
        guard let valid = batch.validity(register.index) else { return }
        for row in 0..<batch.count {
            if valid[row] > 1 { throw fault(register, row, "validity byte \(valid[row])") }
            if valid[row] == 0 && !register.nullable { throw fault(register, row, "NULL where none can be") }
        }
    }

    private func verifyValues(_ register: Register, _ batch: Batch) throws {
        switch register.physical {
        case .uint8: try verifyIntegers(register, batch, UInt8.self)
        case .uint16: try verifyIntegers(register, batch, UInt16.self)
        case .int32: try verifyIntegers(register, batch, Int32.self)
        case .int64: try verifyIntegers(register, batch, Int64.self)
        case .int128:
            if register.type != .interval { try verifyIntegers(register, batch, Int128.self) }
        case .float64: break
        case .string: try verifyStrings(register, batch)
        }
    }

    private func verifyIntegers<Value: FixedWidthInteger>(
        _ register: Register, _ batch: Batch, _: Value.Type
    ) throws {
        let values = batch.values(register.index, Value.self), valid = batch.validity(register.index)
        let isCondition = register.type == .boolean && register.dictionary == nil
        let upper = register.dictionary.map { Int128($0.count) - 1 } ?? register.upper
        for row in 0..<batch.count {
            let value = Int128(values[row])
            if let valid, valid[row] == 0 {
                if isCondition && !leavesNullsOpen && value != 0 {
                    throw fault(register, row, "NULL that holds \(value)")
                }
                if isIndex(register) && (value < 0 || value > max(upper, 0)) {
                    throw fault(register, row, "NULL that holds the index \(value)")
                }
                continue
            }
            if isCondition && value > 1 { throw fault(register, row, "BOOLEAN of \(value)") }
            if unbounded.contains(register.index) { continue }
            if value < register.lower || value > upper {
                throw fault(register, row, "\(value) is outside of \(register.lower) to \(upper)")
            }
        }
    }

    /// Codes of dictionaries and row numbers index memory, also those of NULL rows.
    private func isIndex(_ register: Register) -> Bool {
        register.dictionary != nil || rowNumbers.contains(register.index)
    }

    private func verifyStrings(_ register: Register, _ batch: Batch) throws {
        let values = batch.values(register.index, StringView.self), valid = batch.validity(register.index)
        for row in 0..<batch.count where valid.map({ $0[row] != 0 }) ?? true {
            let view = values[row]
            let bytes = view.bytes
            if StringView.prefix(view.pointer, bytes.count) != view.prefix {
                throw fault(register, row, "a prefix that is not the text's")
            }
            if !register.trailingBlanks, register.type.isString, let last = bytes.last, last == 0x20 {
                throw fault(register, row, "a trailing blank where none can be")
            }
        }
    }

    // MARK: Values behind NULL

    private static let garbage: StaticString = "garbage behind NULL  "

    private func poison(_ register: Register, _ batch: Batch) {
        // A BOOLEAN that is NULL holds 0: conditions depend on it.
        if register.type == .boolean && register.dictionary == nil && !leavesNullsOpen { return }
        guard let valid = batch.validity(register.index), memchr(valid, 0, batch.count) != nil else { return }
        let slot = batch.slots + register.index
        let width = register.physical.byteWidth
        // What stands in blocks and row sets belongs to others.
        if slot.pointee.data != slot.pointee.ownData {
            memcpy(slot.pointee.ownData, slot.pointee.data, batch.count * width)
            slot.pointee.data = slot.pointee.ownData
        }
        let text = StringView(Self.garbage.utf8Start, count: Self.garbage.utf8CodeUnitCount)
        for row in 0..<batch.count where valid[row] == 0 {
            if register.physical == .string {
                slot.pointee.ownData.assumingMemoryBound(to: StringView.self)[row] = text
            } else if isIndex(register) {
                let last = register.dictionary.map { Int128($0.count) - 1 } ?? register.upper
                storeIndex(UInt32(clamping: last), slot.pointee.ownData + row * width, width)
            } else if register.type == .boolean {
                memset(slot.pointee.ownData + row * width, 1, width)
            } else {
                memset(slot.pointee.ownData + row * width, 0x5A, width)
            }
        }
    }
}

/// The low bytes of an index, for a register of 1, 2 or 4 bytes.
private func storeIndex(_ value: UInt32, _ target: UnsafeMutableRawPointer, _ width: Int) {
    withUnsafeBytes(of: value.littleEndian) { bytes in
        guard let base = bytes.baseAddress else { return }
        memset(target, 0, width)
        memcpy(target, base, min(width, 4))
    }
}
