import ColumnVectors
import Glibc
import SQLTypes

/// Pairs of group and value as records of bytes, for strings and numbers that do not fit a code: partitions of the
/// hash, written one after the other and freed from repetitions now and then. A record is the value's hash, the group,
/// the length and the bytes, in whole words.
final class DistinctRecords {
    static let partitions = 64
    private static let header = 16, filterSlots = 2048, unspreadBytes = 512 << 10
    private struct Partition {
        var memory: TableMemory
        var bytes = 0
        var records = 0
        /// Repetitions are removed again from this size on.
        var nextCompaction = 0
    }
    private let context: ExecutionContext
    private var parts: [Partition]
    /// Addresses of records that were just written.
    private let filter: TableMemory
    private let set: DistinctRecordSet
    private(set) var isSpread = false
    var totalRecords: Int { parts.reduce(0) { $0 + $1.records } }

    init(_ context: ExecutionContext) throws {
        self.context = context
        parts = [Partition(memory: try TableMemory(context, bytes: 32 << 10))]
        filter = try TableMemory(context, bytes: DistinctRecords.filterSlots * 8, zeroed: true)
        set = DistinctRecordSet(context)
    }

    /// The first record of a partition and the number of all.
    func records(_ partition: Int) -> (first: DistinctRecord, count: Int) {
        (DistinctRecord(parts[partition].memory.address), parts[partition].records)
    }

    func add(_ bytes: UnsafeRawPointer, _ length: Int, _ hash: UInt64, _ group: UInt32) throws {
        let slots = filter.values(UInt.self)
        let slot =
            Int(truncatingIfNeeded: hash ^ UInt64(group) &* 0x9E37_79B9_7F4A_7C15) & (DistinctRecords.filterSlots - 1)
        if let address = UnsafeMutableRawPointer(bitPattern: slots[slot]) {
            let known = DistinctRecord(address)
            if known.hash == hash && known.group == group && known.length == length
                && memcmp(known.bytes, bytes, length) == 0
            {
                return
            }
        }
        let size = DistinctRecord.size(length)
        var partition = isSpread ? Int(truncatingIfNeeded: hash &>> 58) : 0
        if parts[partition].bytes + size > parts[partition].memory.capacity {
            try makeRoom(partition, size)
            partition = isSpread ? Int(truncatingIfNeeded: hash &>> 58) : 0
            if parts[partition].bytes + size > parts[partition].memory.capacity { try grow(partition, size) }
        }
        let address = parts[partition].memory.address + parts[partition].bytes
        DistinctRecord(address).write(bytes, length, hash, group)
        parts[partition].bytes += size
        parts[partition].records += 1
        slots[slot] = UInt(bitPattern: address)
    }

    private func makeRoom(_ partition: Int, _ more: Int) throws {
        // Records move: what the filter points at is gone.
        memset(filter.address, 0, DistinctRecords.filterSlots * 8)
        let before = parts[partition].bytes
        if before >= parts[partition].nextCompaction {
            let kept = try set.compact(DistinctRecord(parts[partition].memory.address), parts[partition].records)
            parts[partition].records = kept.records
            parts[partition].bytes = kept.bytes
            parts[partition].nextCompaction = kept.bytes * (kept.bytes > before / 4 * 3 ? 4 : 2)
        }
        if !isSpread && parts[0].bytes > DistinctRecords.unspreadBytes { return try spread() }
        if parts[partition].bytes * 2 + more > parts[partition].memory.capacity { try grow(partition, more) }
    }

    private func grow(_ partition: Int, _ more: Int) throws {
        let used = parts[partition].bytes
        try parts[partition].memory.grow(to: used * 2 + more, keeping: used)
    }

    /// From one partition to all.
    func spread() throws {
        if isSpread { return }
        memset(filter.address, 0, DistinctRecords.filterSlots * 8)
        let old = parts[0]
        parts = try (0..<DistinctRecords.partitions).map { _ in
            Partition(memory: try TableMemory(context, bytes: 32 << 10))
        }
        isSpread = true
        var record = DistinctRecord(old.memory.address)
        for _ in 0..<old.records {
            try add(record.bytes, record.length, record.hash, record.group)
            record = record.next
        }
    }
}

/// A record in memory.
struct DistinctRecord {
    let address: UnsafeMutableRawPointer

    @inline(__always) init(_ address: UnsafeMutableRawPointer) { self.address = address }
    @inline(__always) static func size(_ length: Int) -> Int { 16 &+ (length &+ 7) & ~7 }

    @inline(__always) var hash: UInt64 { address.load(as: UInt64.self) }
    @inline(__always) var group: UInt32 { address.load(fromByteOffset: 8, as: UInt32.self) }
    @inline(__always) var length: Int { Int(address.load(fromByteOffset: 12, as: UInt32.self)) }
    @inline(__always) var bytes: UnsafeMutableRawPointer { address + 16 }
    @inline(__always) var next: DistinctRecord { DistinctRecord(address + DistinctRecord.size(length)) }

    @inline(__always) func write(_ bytes: UnsafeRawPointer, _ length: Int, _ hash: UInt64, _ group: UInt32) {
        address.storeBytes(of: hash, as: UInt64.self)
        address.storeBytes(of: group, toByteOffset: 8, as: UInt32.self)
        address.storeBytes(of: UInt32(truncatingIfNeeded: length), toByteOffset: 12, as: UInt32.self)
        memcpy(address + 16, bytes, length)
    }
}

/// The different records of one partition: slots of 8 bytes (upper half of the hash, entry + 1) and the entries.
final class DistinctRecordSet {
    private let slots: TableMemory
    private let entries: TableMemory
    private let groups: TableMemory
    private var mask = 0
    private var count = 0

    init(_ context: ExecutionContext) {
        slots = TableMemory(context)
        entries = TableMemory(context)
        groups = TableMemory(context)
    }

    /// Empties the set and makes room for so many records.
    func prepare(_ records: Int) throws {
        var size = 1024
        while size < records * 2 { size <<= 1 }
        guard size <= 1 << 32 else { throw tooManyGroups() }
        try slots.grow(to: size * 8, keeping: 0)
        memset(slots.address, 0, size * 8)
        try entries.grow(to: records * 8 + 64, keeping: 0)
        try groups.grow(to: records * 4 + 64, keeping: 0)
        mask = size - 1
        count = 0
    }

    /// True when no equal record is in the set; `place` is where the record will stand.
    @inline(__always)
    func insert(_ record: DistinctRecord, group: UInt32, place address: UnsafeMutableRawPointer) -> Bool {
        let slots = self.slots.values(UInt64.self), entries = self.entries.values(UnsafeMutableRawPointer.self)
        let groups = self.groups.values(UInt32.self)
        let hash = StringHash.mix(record.hash ^ UInt64(group), 0x8BB8_4B93_962E_ACC9)
        let length = record.length
        var place = Int(truncatingIfNeeded: hash) & mask
        while true {
            let slot = slots[place]
            if slot == 0 { break }
            if slot &>> 32 == hash &>> 32 {
                let entry = Int(slot & 0xffff_ffff) &- 1
                let known = DistinctRecord(entries[entry])
                if groups[entry] == group && known.length == length && memcmp(known.bytes, record.bytes, length) == 0 {
                    return false
                }
            }
            place = (place &+ 1) & mask
        }
        entries[count] = address
        groups[count] = group
        count &+= 1
        slots[place] = (hash & 0xffff_ffff_0000_0000) | UInt64(count)
        return true
    }

    /// Moves the different records to the front.
    func compact(_ first: DistinctRecord, _ records: Int) throws -> (records: Int, bytes: Int) {
        try prepare(records)
        var record = first
        var free = first.address
        for _ in 0..<records {
            let size = DistinctRecord.size(record.length)
            let next = record.next
            if insert(record, group: record.group, place: free) {
                if free != record.address { memmove(free, record.address, size) }
                free += size
            }
            record = next
        }
        return (count, free - first.address)
    }
}
