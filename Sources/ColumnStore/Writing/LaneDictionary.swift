import ColumnVectors
import Glibc
import Platform
import SQLTypes

/// The distinct strings that one lane has seen in one column, in order of arrival, as long as they are few. Filled by
/// its lane; read by all when the lane is done.
final class LaneDictionary: @unchecked Sendable {
    private(set) var count = 0
    /// Views into the arena, by code.
    private(set) var views: UnsafeMutablePointer<StringView>
    private var viewCapacity: Int
    /// High half of the hash, then code + 1; 0 = free.
    private var table: UnsafeMutablePointer<UInt64>
    private var mask: Int
    private let arena = StringArena()
    private var rows = 0

    init() {
        viewCapacity = 256
        views = .allocate(capacity: 256)
        table = .allocate(capacity: 1_024)
        table.initialize(repeating: 0, count: 1_024)
        mask = 1_023
    }
    deinit {
        views.deallocate()
        table.deallocate()
    }

    var reservedBytes: Int { arena.reservedBytes + viewCapacity * 16 + (mask + 1) * 8 }

    /// Codes of a batch's strings; NULL rows get 0. False: too many distinct values, the codes are incomplete and the
    /// column is better kept as text from now on.
    func encode(
        _ strings: UnsafePointer<StringView>, _ validity: UnsafePointer<UInt8>?, _ count: Int, trim: Bool,
        into codes: UnsafeMutablePointer<UInt16>
    ) throws -> Bool {
        rows += count
        for row in 0..<count {
            if let validity, validity[row] == 0 {
                codes[row] = 0
                continue
            }
            let view = trim ? strings[row].trimmed : strings[row]
            let code = try code(view)
            if code < 0 { return false }
            codes[row] = UInt16(truncatingIfNeeded: code)
        }
        return rows < 32_768 || self.count <= rows / 4 * 3
    }

    @inline(__always)
    private func code(_ view: StringView) throws -> Int {
        let hash = view.hash
        let tag = hash & 0xFFFF_FFFF_0000_0000
        var slot = Int(truncatingIfNeeded: hash) & mask
        while true {
            let entry = table[slot]
            if entry == 0 { return try insert(view, hash, slot) }
            if entry & 0xFFFF_FFFF_0000_0000 == tag {
                let code = Int(entry & 0xFFFF_FFFF) &- 1
                if StringView.equal(views[code], view) { return code }
            }
            slot = (slot &+ 1) & mask
        }
    }

    private func insert(_ view: StringView, _ hash: UInt64, _ slot: Int) throws -> Int {
        guard count < StorageLimits.dictionaryEntries else { return -1 }
        if count == viewCapacity { growViews() }
        views[count] = try arena.copy(view.bytes)
        table[slot] = hash & 0xFFFF_FFFF_0000_0000 | UInt64(count + 1)
        count += 1
        if count * 2 > mask { rehash() }
        return count - 1
    }

    private func growViews() {
        let larger = UnsafeMutablePointer<StringView>.allocate(capacity: viewCapacity * 4)
        larger.update(from: views, count: count)
        views.deallocate()
        views = larger
        viewCapacity *= 4
    }

    private func rehash() {
        table.deallocate()
        let size = (mask + 1) * 4
        mask = size - 1
        table = .allocate(capacity: size)
        table.initialize(repeating: 0, count: size)
        for code in 0..<count {
            let hash = views[code].hash
            var slot = Int(truncatingIfNeeded: hash) & mask
            while table[slot] != 0 { slot = (slot &+ 1) & mask }
            table[slot] = hash & 0xFFFF_FFFF_0000_0000 | UInt64(code + 1)
        }
    }
}
