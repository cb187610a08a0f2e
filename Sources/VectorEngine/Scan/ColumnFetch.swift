import ColumnStore
import ColumnVectors
import Glibc
import SQLTypes

/// Brings a column of the surviving rows into its register: in place where the block's codes are the values already,
/// else widened or gathered in one loop.
final class ColumnFetch: Step {
    private let slot: Int
    private let output: Register
    override var acceptsMask: Bool { true }
    override var leavesNullsOpen: Bool { true }

    init(slot: Int, _ output: Register) {
        self.slot = slot
        self.output = output
        super.init(inputs: [], outputs: [output.index])
    }

    override func run(_ batch: Batch) throws {
        guard let cursor = batch.scan else { throw ScanError.noRowGroup }
        let block = try cursor.block(slot)
        switch block.pointee.form {
        case .integer:
            switch output.physical {
            case .uint8: integers(batch, block, UInt8.self)
            case .uint16: integers(batch, block, UInt16.self)
            case .int32: integers(batch, block, Int32.self)
            case .int64: integers(batch, block, Int64.self)
            case .int128: integers(batch, block, Int128.self)
            case .float64, .string: throw ScanError.noRowGroup
            }
        case .wide: inPlaceOrGathered(batch, block.pointee.data, 16)
        case .float: inPlaceOrGathered(batch, block.pointee.data, 8)
        case .dictionary: dictionary(batch, block, cursor)
        case .text: text(batch, block)
        }
        validity(batch, block)
    }

    private func validity(_ batch: Batch, _ block: UnsafePointer<Block>) {
        let slot = batch.slots + output.index
        guard let valid = block.pointee.validity else {
            slot.pointee.validity = nil
            return
        }
        if batch.identity {
            slot.pointee.validity = UnsafeMutablePointer(mutating: valid + batch.window)
        } else {
            gatherRows(valid + batch.window, batch.outputValidity(output.index), 1, batch.selection, batch.count)
        }
    }

    private func inPlaceOrGathered(_ batch: Batch, _ data: UnsafeRawPointer, _ width: Int) {
        let from = data + batch.window * width
        if batch.identity {
            batch.slots[output.index].data = UnsafeMutableRawPointer(mutating: from)
        } else {
            gatherRows(from, batch.output(output.index, UInt8.self), width, batch.selection, batch.count)
        }
    }

    @inline(__always)
    private func integers<D: FixedWidthInteger>(_ batch: Batch, _ block: UnsafePointer<Block>, _: D.Type) {
        switch block.pointee.width {
        case 0:
            let o = batch.output(output.index, D.self), v = D(truncatingIfNeeded: block.pointee.base)
            for i in 0..<batch.count { o[i] = v }
        case 1: widen(batch, block, UInt8.self, D.self)
        case 2: widen(batch, block, UInt16.self, D.self)
        case 4: widen(batch, block, UInt32.self, D.self)
        default: widen(batch, block, Int64.self, D.self)
        }
    }
    @inline(__always)
    private func widen<S: FixedWidthInteger, D: FixedWidthInteger>(
        _ batch: Batch, _ block: UnsafePointer<Block>, _: S.Type, _: D.Type
    ) {
        let p = block.pointee.data.assumingMemoryBound(to: S.self) + batch.window, n = batch.count
        if batch.identity && S.bitWidth == D.bitWidth && block.pointee.base == 0 {
            batch.slots[output.index].data = UnsafeMutableRawPointer(mutating: p)
            return
        }
        let o = batch.output(output.index, D.self), base = D(truncatingIfNeeded: block.pointee.base)
        if batch.identity {
            for i in 0..<n { o[i] = D(truncatingIfNeeded: p[i]) &+ base }
        } else {
            let s = batch.selection
            for i in 0..<n { o[i] = D(truncatingIfNeeded: p[Int(s[i])]) &+ base }
        }
    }

    /// Codes of the unified dictionary, or strings when the column has none.
    private func dictionary(_ batch: Batch, _ block: UnsafePointer<Block>, _ cursor: ScanCursor) {
        guard output.dictionary != nil else {
            guard let views = cursor.part?.dictionary(column: cursor.column(slot))?.views else { return }
            table(batch, block, views, StringView.self)
            return
        }
        if let remap = cursor.remaps[slot] {
            if output.physical == .uint8 {
                narrowed(batch, block, remap)
            } else {
                table(batch, block, remap, UInt16.self)
            }
        } else if output.physical == .uint8 {
            integers(batch, block, UInt8.self)
        } else {
            integers(batch, block, UInt16.self)
        }
    }
    @inline(__always)
    private func table<V>(_ batch: Batch, _ block: UnsafePointer<Block>, _ t: UnsafePointer<V>, _: V.Type) {
        let o = batch.output(output.index, V.self)
        forEachCode(batch, block) { i, code in o[i] = t[code] }
    }
    private func narrowed(_ batch: Batch, _ block: UnsafePointer<Block>, _ t: UnsafePointer<UInt16>) {
        let o = batch.output(output.index, UInt8.self)
        forEachCode(batch, block) { i, code in o[i] = UInt8(truncatingIfNeeded: t[code]) }
    }
    @inline(__always)
    private func forEachCode(_ batch: Batch, _ block: UnsafePointer<Block>, _ body: (Int, Int) -> Void) {
        let n = batch.count, base = Int(block.pointee.base), identity = batch.identity, s = batch.selection
        @inline(__always) func loop<S: FixedWidthInteger>(_: S.Type) {
            let p = block.pointee.data.assumingMemoryBound(to: S.self) + batch.window
            if identity {
                for i in 0..<n { body(i, Int(truncatingIfNeeded: p[i]) &+ base) }
            } else {
                for i in 0..<n { body(i, Int(truncatingIfNeeded: p[Int(s[i])]) &+ base) }
            }
        }
        switch block.pointee.width {
        case 0: for i in 0..<n { body(i, base) }
        case 1: loop(UInt8.self)
        default: loop(UInt16.self)
        }
    }

    private func text(_ batch: Batch, _ block: UnsafePointer<Block>) {
        guard let heap = block.pointee.heap, let offsets = block.pointee.offsets else { return }
        let o = batch.output(output.index, StringView.self), n = batch.count, at = offsets + batch.window
        if batch.identity {
            for i in 0..<n { o[i] = paddedView(heap, at[i], at[i + 1]) }
        } else {
            let s = batch.selection
            for i in 0..<n {
                let row = Int(s[i])
                o[i] = paddedView(heap, at[row], at[row + 1])
            }
        }
    }
}

/// A view into memory that may be read past the string's end: the prefix is one load.
@inline(__always)
private func paddedView(_ heap: UnsafePointer<UInt8>, _ from: UInt32, _ to: UInt32) -> StringView {
    let count = to &- from, pointer = heap + Int(from)
    let word = UInt32(littleEndian: UnsafeRawPointer(pointer).loadUnaligned(as: UInt32.self))
    let prefix = count >= 4 ? word : word & ((1 &<< (count &* 8)) &- 1)
    return StringView(count: count, prefix: prefix, pointer: pointer)
}
