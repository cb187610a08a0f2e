import ColumnStore
import ColumnVectors
import Glibc
import SQLTypes

/// A condition that was evaluated once for every value of a small domain: dictionary codes or a short integer range.
/// Neighbouring values become a range of codes, few values a handful of comparisons, the rest a table look-up.
final class CodeSetConjunct: ScanConjunct {
    /// Whether value `base + i` passes.
    private let passes: [UInt8]
    private let base: Int64
    private let nullsPass: Bool
    private let unified: UnifiedDictionary?
    private var byPart: [CodeSet] = []

    private final class CodeSet {
        let table: [UInt8]
        let base: Int64
        var range: ClosedRange<Int64>?
        var isEmpty: Bool
        let few: [Int64]
        init(_ table: [UInt8], base: Int64) {
            // One more byte, so that a code beyond the table (never in a sound block) fails.
            self.table = table + Array(repeating: 0, count: 64)
            self.base = base
            let members = table.indices.filter { table[$0] != 0 }.map { base + Int64($0) }
            isEmpty = members.isEmpty
            if let first = members.first, let last = members.last, Int(last - first) + 1 == members.count {
                range = first...last
            }
            few = members.count <= 4 ? members : []
        }
    }

    /// - Parameter passes: for each value of the domain; of the unified dictionary's codes when there is one.
    init(slot: Int, column: Int, passes: [UInt8], base: Int64, nullsPass: Bool, unified: UnifiedDictionary?) {
        self.passes = passes
        self.base = base
        self.nullsPass = nullsPass
        self.unified = unified
        super.init(slot: slot, column: column)
    }

    override func prepare(_ parts: [Part]) throws {
        let plain = CodeSet(passes, base: base)
        byPart = parts.map { part in
            guard let unified, let remap = unified.remap(part: part),
                let count = part.dictionary(column: column)?.count
            else { return plain }
            return CodeSet((0..<count).map { passes[Int(remap[$0])] }, base: 0)
        }
    }

    override func zone(_ part: Part, _ index: Int, _ group: Int) -> Zone {
        let zone = part.zone(column: column, group: group), set = byPart[index]
        let allNull = zone.nullCount == zone.rowCount
        if zone.nullCount > 0 && nullsPass { return allNull ? .all : .some }
        if allNull || set.isEmpty { return .none }
        if let range = set.range {
            if zone.minimum > range.upperBound || zone.maximum < range.lowerBound { return .none }
            let inside = zone.minimum >= range.lowerBound && zone.maximum <= range.upperBound
            return inside && zone.nullCount == 0 ? .all : .some
        }
        return .some
    }

    override func mask(_ cursor: ScanCursor, _ rows: Int, _ mask: UnsafeMutablePointer<UInt8>, combine: Bool) throws {
        let block = try cursor.block(slot), set = byPart[cursor.partIndex]
        var previous: UnsafeMutablePointer<UInt8>?
        if nullsPass && combine && block.pointee.validity != nil {
            previous = .allocate(capacity: rows)
            previous?.update(from: mask, count: rows)
        }
        defer { previous?.deallocate() }
        if let range = set.range {
            rangeMask(block, range.lowerBound, range.upperBound, false, rows, mask, combine)
        } else {
            table(block, set, rows, mask, combine)
        }
        applyValidity(block, rows, mask, nullsPass: nullsPass, previous.map { UnsafePointer($0) })
    }

    private func table(
        _ block: UnsafePointer<Block>, _ set: CodeSet, _ rows: Int, _ mask: UnsafeMutablePointer<UInt8>,
        _ combine: Bool
    ) {
        let offset = Int(block.pointee.base - set.base)
        set.table.withUnsafeBufferPointer { t in
            guard let t = t.baseAddress else { return }
            @inline(__always) func run<T: FixedWidthInteger>(_: T.Type) {
                let p = block.pointee.data.assumingMemoryBound(to: T.self)
                if combine {
                    for i in 0..<rows { mask[i] &= t[Int(truncatingIfNeeded: p[i]) &+ offset] }
                } else {
                    for i in 0..<rows { mask[i] = t[Int(truncatingIfNeeded: p[i]) &+ offset] }
                }
            }
            switch block.pointee.width {
            case 0:
                let value = t[offset]
                if value == 0 { memset(mask, 0, rows) } else if !combine { memset(mask, 1, rows) }
            case 1 where !set.few.isEmpty: fewBytes(block, set.few, rows, mask, combine)
            case 1: run(UInt8.self)
            case 2: run(UInt16.self)
            case 4: run(UInt32.self)
            default: run(Int64.self)
            }
        }
    }

    private func fewBytes(
        _ block: UnsafePointer<Block>, _ few: [Int64], _ rows: Int, _ mask: UnsafeMutablePointer<UInt8>,
        _ combine: Bool
    ) {
        let p = block.pointee.data.assumingMemoryBound(to: UInt8.self), base = block.pointee.base
        let codes = few.filter { $0 >= base && $0 - base <= 255 }.map { UInt8(truncatingIfNeeded: $0 - base) }
        guard let a = codes.first else {
            memset(mask, 0, rows)
            return
        }
        let b = codes.count > 1 ? codes[1] : a, c = codes.count > 2 ? codes[2] : a, d = codes.count > 3 ? codes[3] : a
        if combine {
            for i in 0..<rows { mask[i] &= b2u(p[i] == a) | b2u(p[i] == b) | b2u(p[i] == c) | b2u(p[i] == d) }
        } else {
            for i in 0..<rows { mask[i] = b2u(p[i] == a) | b2u(p[i] == b) | b2u(p[i] == c) | b2u(p[i] == d) }
        }
    }
}
