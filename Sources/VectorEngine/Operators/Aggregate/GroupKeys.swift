import ColumnStore
import ColumnVectors
import Glibc
import Platform
import SQLTypes

/// How the rows of an aggregation get their group numbers, chosen by the exact bounds of the key registers.
final class GroupKeys {
    enum Form {
        /// No keys: everything is group 0.
        case single
        /// The packed code is the group number; one spare group after the last takes masked rows.
        case dense(domain: Int)
        /// Packed 64-bit codes in a hash table.
        case packed
        case wide
    }
    let form: Form
    let registers: [Register]
    /// Rows that can come, at most.
    let rowBound: Int
    let packedLayout: PackedKeyLayout?
    let packedEncoder: PackedKeyEncoder?
    let wideLayout: WideKeyLayout?
    let wideEncoder: WideKeyEncoder?
    private static let smallDomain: UInt64 = 65_536

    /// - Parameters:
    ///   - rowBound: rows that can come, at most.
    ///   - estimate: rows that the optimizer expects.
    ///   - bytes: of all accumulators of a group.
    init(_ registers: [Register], rowBound: Int, estimate: Double, bytes: Int, context: ExecutionContext) {
        self.registers = registers
        self.rowBound = rowBound
        var remaps: [[Int32]?] = []
        var ranges: [(lower: Int128, upper: Int128, hasNullCode: Bool)]? = []
        for register in registers {
            if register.isInteger {
                ranges?.append((register.lower, register.upper, register.nullable))
                remaps.append(nil)
            } else if let dictionary = register.dictionary {
                let remap = dictionary.canonicalCodes(trimming: register.trailingBlanks)
                let last = Int128(max(dictionary.count, 1) - 1)
                let lower = remap == nil ? max(register.lower, 0) : 0
                let upper = remap == nil ? min(register.upper, last) : last
                ranges?.append((lower, upper, register.nullable))
                remaps.append(remap)
            } else {
                ranges = nil
            }
        }
        let packs = context.takes(.packedKeys)
        let layout = packs ? ranges.flatMap { PackedKeyLayout($0, limit: .max) } : nil
        packedLayout = layout
        packedEncoder = layout.map { PackedKeyEncoder($0, registers.map(\.physical), remaps: remaps) }
        if registers.isEmpty {
            form = .single
        } else if let layout {
            let isDense = GroupKeys.isDense(layout.domain, rowBound, estimate, bytes, context)
            form = isDense ? .dense(domain: Int(layout.domain)) : .packed
        } else {
            form = .wide
        }
        if case .wide = form {
            let wide = WideKeyLayout([registers], nulls: registers.contains(where: \.nullable))
            wideLayout = wide
            wideEncoder = WideKeyEncoder(wide, registers)
        } else {
            wideLayout = nil
            wideEncoder = nil
        }
    }

    private static func isDense(
        _ domain: UInt64, _ rowBound: Int, _ estimate: Double, _ bytes: Int, _ context: ExecutionContext
    ) -> Bool {
        guard domain < UInt64(UInt32.max), context.takes(.denseGroups) else { return false }
        // The bound of a product of joins goes up to the largest integer.
        let rows = UInt64(min(max(rowBound, 1), Int(Int32.max)))
        let small = min(smallDomain, 4096 + 64 * rows)
        if domain <= small { return true }
        guard Double(domain) <= max(estimate, 1) * 8, Double(domain) <= Double(rowBound) * 4 else { return false }
        // All workers have the whole domain: not more than a part of the memory.
        let total = Double(domain) * Double(bytes) * Double(context.pool.workers)
        return total < 512e6 || total < Double(context.grant.limit) / 8
    }

    var isDense: Bool { if case .dense = form { true } else { false } }
    var isSingle: Bool { if case .single = form { true } else { false } }
    /// Groups that exist before any row: the dense domain and its spare group, or the only group.
    var fixedGroups: Int? {
        switch form {
        case .single: 1
        case .dense(let domain): domain + 1
        case .packed, .wide: nil
        }
    }

    func vectors(_ batch: Batch) -> [KeyVector] {
        registers.map {
            KeyVector(data: UnsafeRawPointer(batch.slots[$0.index].data), validity: batch.validity($0.index))
        }
    }
}

/// One worker's table of groups.
final class GroupTableState {
    let keys: GroupKeys
    private(set) var packed: PackedGroupTable?
    private(set) var wide: WideGroupTable?
    private let numbers: TableMemory
    private let wideRows: TableMemory
    /// Group of every row of the batch.
    var groups: UnsafeMutablePointer<UInt32> { numbers.values(UInt32.self) }
    var count: Int { keys.fixedGroups ?? packed?.count ?? wide?.count ?? 0 }

    /// - Parameter expected: groups of hashed keys that will probably come.
    init(_ keys: GroupKeys, _ context: ExecutionContext, expected: Int = 0) throws {
        self.keys = keys
        numbers = try TableMemory(context, bytes: (context.batchRows + 128) * 4, zeroed: true)
        wideRows = TableMemory(context)
        switch keys.form {
        case .single, .dense: break
        case .packed: packed = try PackedGroupTable(context, expected: expected)
        case .wide:
            if let layout = keys.wideLayout {
                wide = try WideGroupTable(layout, context, expected: expected)
                try wideRows.grow(to: (context.batchRows + 128) * layout.words * 8, keeping: 0)
            }
        }
    }

    /// No more rows come: what only serves look-ups is given back.
    func freeze() {
        packed?.freeze()
        wide?.freeze()
        wideRows.removeAll()
    }

    func assign(_ batch: Batch) throws {
        let count = batch.count, groups = self.groups
        switch keys.form {
        case .single: break
        case .dense(let domain):
            keys.packedEncoder?.encode(keys.vectors(batch), count, groups)
            if batch.masked {
                let mask = batch.mask, spare = UInt32(truncatingIfNeeded: domain)
                for i in 0..<count {
                    let keep = 0 &- UInt32(mask[i])
                    groups[i] = (groups[i] & keep) | (spare & ~keep)
                }
            }
        case .packed:
            keys.packedEncoder?.encode(keys.vectors(batch), count, batch.hashes)
            try packed?.assign(batch.hashes, count, groups)
        case .wide:
            let rows = wideRows.values(UInt64.self)
            keys.wideEncoder?.encode(keys.vectors(batch), count, rows: rows, hashes: batch.hashes)
            try wide?.assign(rows: rows, hashes: batch.hashes, count, groups)
        }
    }
}
