import CIntrinsics
import ColumnStore
import ColumnVectors
import Glibc
import Platform
import SQLTypes
import Synchronization

/// Where a register's values are at the moment: in the worker's own buffer, or in block memory.
struct Slot {
    var data: UnsafeMutableRawPointer
    /// One byte a row, 1 = has a value; nil: no NULL in this batch.
    var validity: UnsafeMutablePointer<UInt8>?
    var ownData: UnsafeMutableRawPointer
    var ownValidity: UnsafeMutablePointer<UInt8>
}

/// One worker's running batch of a pipeline: the register file and where its rows came from. Confined to that worker.
///
/// Registers are dense: row i of `count`. The rows are rows `window + i` of the source's current row group (`identity`)
/// or its rows `window + selection[i]`; columns are fetched from there when first used.
final class Batch {
    let worker: Int
    /// Rows that a register's buffer holds.
    let capacity: Int
    let registers: [Register]
    let slots: UnsafeMutablePointer<Slot>
    var count = 0

    // Position in the source.
    var identity = true
    var window = 0
    var selection: UnsafeMutablePointer<UInt16>
    /// When set, few rows failed the scan's conjuncts and they are still here, with mask 0; only steps that say so see
    /// this.
    var masked = false
    var mask: UnsafeMutablePointer<UInt8>
    /// The blocks of the current row group, by scan column slot; nil until first used.
    var scan: ScanCursor?
    var slice = 0
    /// Of a measured pipeline, see ``PipelineMeter``.
    var meter: UnsafeMutablePointer<MeterCell>?
    /// The worker's own counters of the statement, see ``StatementMeter``.
    var counters: UnsafeMutablePointer<Atomic<Int64>>?

    /// Strings made by steps; emptied before every source batch. What outlives the batch must be copied.
    let arena: StringArena
    /// Scratch for one step at a time: positions, masks.
    let positions: UnsafeMutablePointer<UInt16>
    let scratchMask: UnsafeMutablePointer<UInt8>
    let hashes: UnsafeMutablePointer<UInt64>

    let groupSelection: UnsafeMutablePointer<UInt16>
    let groupMask: UnsafeMutablePointer<UInt8>
    private let memory: Region
    /// Where the memory has been counted.
    private var counted: MemoryGrant?
    /// So large that the query must have it.
    private var reserved: MemoryGrant?
    private let reservedBytes: Int
    private static let largestFixedBytes = 32 << 20

    /// - Parameter groupRows: of the source's row groups; smaller where there are none.
    init(
        worker: Int, capacity: Int, registers: [Register], grant: MemoryGrant? = nil,
        groupRows wanted: Int = StorageLimits.rowGroupRows
    ) throws {
        self.worker = worker
        self.capacity = capacity
        self.registers = registers
        arena = StringArena(grant: grant)
        let rows = capacity + 128
        var bytes = 0
        // By index: a copy of each register would be counted references, and long conditions have a hundred thousand.
        for index in registers.indices {
            bytes += Batch.padded(rows * registers[index].physical.byteWidth) + Batch.padded(rows)
        }
        let groupRows = max(wanted, capacity) + 256
        bytes +=
            Batch.padded(groupRows * 2) + Batch.padded(groupRows) + Batch.padded(rows * 2) + Batch.padded(groupRows)
        bytes += Batch.padded(rows * 8)
        if let grant, bytes > Batch.largestFixedBytes {
            try grant.reserve(bytes)
            reserved = grant
        }
        do {
            memory = try MemoryRegions.shared.take(bytes: bytes + 128)
        } catch {
            reserved?.release(bytes)
            throw error
        }
        reservedBytes = bytes
        var free = memory.address
        func take(_ size: Int) -> UnsafeMutableRawPointer {
            defer { free += Batch.padded(size) }
            return free
        }
        slots = .allocate(capacity: registers.count + 1)
        for index in registers.indices {
            let data = take(rows * registers[index].physical.byteWidth)
            let validity = take(rows).assumingMemoryBound(to: UInt8.self)
            slots[registers[index].index] = Slot(data: data, validity: nil, ownData: data, ownValidity: validity)
        }
        groupSelection = take(groupRows * 2).assumingMemoryBound(to: UInt16.self)
        groupMask = take(groupRows).assumingMemoryBound(to: UInt8.self)
        positions = take(rows * 2).assumingMemoryBound(to: UInt16.self)
        scratchMask = take(groupRows).assumingMemoryBound(to: UInt8.self)
        hashes = take(rows * 8).assumingMemoryBound(to: UInt64.self)
        selection = groupSelection
        mask = groupMask
        for index in registers.indices where registers[index].isConstant { try fill(registers[index], rows) }
        if reserved == nil, let grant {
            grant.reserveFixed(memory.capacity)
            counted = grant
        }
    }

    deinit {
        MemoryRegions.shared.give(back: memory)
        counted?.releaseFixed(memory.capacity)
        reserved?.release(reservedBytes)
        slots.deallocate()
    }

    private static func padded(_ bytes: Int) -> Int { (bytes + 255) & ~127 }

    /// Constant registers are written once and never touched again.
    private func fill(_ register: Register, _ rows: Int) throws {
        let slot = slots + register.index
        guard let constant = register.constant else { return }
        let data = slot.pointee.ownData
        switch constant {
        case .null:
            memset(data, 0, rows * register.physical.byteWidth)
            if register.physical == .string {
                data.assumingMemoryBound(to: StringView.self).initialize(repeating: .empty, count: rows)
            }
            memset(slot.pointee.ownValidity, 0, rows)
            slot.pointee.validity = slot.pointee.ownValidity
        case .integer(let value): fill(data, register.physical, value, rows)
        case .interval(let value): fill(data, register.physical, value.packed, rows)
        case .double(let value):
            data.assumingMemoryBound(to: Double.self).initialize(repeating: value, count: rows)
        case .string(let bytes):
            let copy = try bytes.withUnsafeBufferPointer { try constants.copy($0) }
            data.assumingMemoryBound(to: StringView.self).initialize(repeating: copy, count: rows)
        }
    }
    private let constants = StringArena()

    private func fill(_ data: UnsafeMutableRawPointer, _ physical: PhysicalType, _ value: Int128, _ rows: Int) {
        switch physical {
        case .uint8: data.initializeMemory(as: UInt8.self, repeating: UInt8(truncatingIfNeeded: value), count: rows)
        case .uint16: data.initializeMemory(as: UInt16.self, repeating: UInt16(truncatingIfNeeded: value), count: rows)
        case .int32: data.initializeMemory(as: Int32.self, repeating: Int32(truncatingIfNeeded: value), count: rows)
        case .int64: data.initializeMemory(as: Int64.self, repeating: Int64(truncatingIfNeeded: value), count: rows)
        case .int128: data.initializeMemory(as: Int128.self, repeating: value, count: rows)
        case .float64: data.initializeMemory(as: Double.self, repeating: Double(value), count: rows)
        case .string: break
        }
    }

    // MARK: Access for steps

    @inline(__always) func values<Value>(_ register: Int, _ type: Value.Type) -> UnsafePointer<Value> {
        assert(registers.indices.contains(register), "no register \(register)")
        return UnsafePointer(slots[register].data.assumingMemoryBound(to: Value.self))
    }
    @inline(__always) func validity(_ register: Int) -> UnsafePointer<UInt8>? {
        slots[register].validity.map { UnsafePointer($0) }
    }
    /// The register's own buffer, to be filled for all `count` rows. Also says that no row is NULL.
    @inline(__always) func output<Value>(_ register: Int, _ type: Value.Type) -> UnsafeMutablePointer<Value> {
        assert(registers.indices.contains(register) && count <= capacity, "register \(register), \(count) rows")
        let slot = slots + register
        slot.pointee.data = slot.pointee.ownData
        slot.pointee.validity = nil
        return slot.pointee.ownData.assumingMemoryBound(to: Value.self)
    }
    /// The register's own validity bytes, to be filled for all `count` rows; call after ``output(_:_:)``.
    @inline(__always) func outputValidity(_ register: Int) -> UnsafeMutablePointer<UInt8> {
        let slot = slots + register
        slot.pointee.validity = slot.pointee.ownValidity
        return slot.pointee.ownValidity
    }
    /// A strict result is NULL where an input is.
    func combineValidity(_ output: Int, _ inputs: [Int]) {
        var first = true
        for input in inputs {
            guard let valid = slots[input].validity else { continue }
            let target = slots[output].ownValidity
            if first { memcpy(target, valid, count) } else { andBytes(target, valid, count) }
            first = false
        }
        slots[output].validity = first ? nil : slots[output].ownValidity
    }

    /// Keeps the rows at ascending `positions`, in the live registers and in the position in the source.
    func keep(_ positions: UnsafePointer<UInt16>, _ kept: Int, live: [Int]) {
        assert(kept <= count && (kept == 0 || Int(positions[kept - 1]) < count), "positions beyond the batch")
        if kept == count { return }
        for index in live {
            let slot = slots + index
            compact(slot.pointee.data, slot.pointee.ownData, registers[index].physical.byteWidth, positions, kept)
            slot.pointee.data = slot.pointee.ownData
            if let valid = slot.pointee.validity {
                gather(UnsafePointer(valid), slot.pointee.ownValidity, positions, kept)
                slot.pointee.validity = slot.pointee.ownValidity
            }
        }
        if identity {
            // Batches with identity have no use for the group's selection, so its start is free.
            selection = groupSelection
            for i in 0..<kept { selection[i] = positions[i] }
            identity = false
        } else {
            for i in 0..<kept { selection[i] = selection[Int(positions[i])] }
        }
        count = kept
    }
}

@inline(__always)
private func gather<Value>(
    _ from: UnsafePointer<Value>, _ to: UnsafeMutablePointer<Value>, _ positions: UnsafePointer<UInt16>, _ count: Int
) { for i in 0..<count { to[i] = from[Int(positions[i])] } }

/// In place is fine: positions ascend.
private func compact(
    _ from: UnsafeMutableRawPointer, _ to: UnsafeMutableRawPointer, _ width: Int, _ positions: UnsafePointer<UInt16>,
    _ count: Int
) {
    @inline(__always) func move<Value>(_: Value.Type) {
        gather(
            UnsafePointer(from.assumingMemoryBound(to: Value.self)), to.assumingMemoryBound(to: Value.self), positions,
            count)
    }
    switch width {
    case 1: move(UInt8.self)
    case 2: move(UInt16.self)
    case 4: move(UInt32.self)
    case 8: move(UInt64.self)
    default: move(SIMD2<UInt64>.self)
    }
}

func andBytes(_ target: UnsafeMutablePointer<UInt8>, _ other: UnsafePointer<UInt8>, _ count: Int) {
    for i in 0..<count { target[i] &= other[i] }
}
