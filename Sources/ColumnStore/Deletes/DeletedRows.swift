import SQLTypes

/// Which rows of a part are deleted, one byte a row, row groups without deletions left out. Immutable once a snapshot
/// has it; versions share the row groups between which they do not differ. Rows of a ``DeltaRows`` count as row groups
/// of 65,536.
package final class DeletedRows: @unchecked Sendable {  // memory is only written while one owner fills it
    /// One row group's bytes.
    private final class Marks {
        let bytes: UnsafeMutablePointer<UInt8>
        let count: Int
        init(count: Int) {
            self.count = count
            bytes = .allocate(capacity: count + StorageLimits.padding)
            bytes.initialize(repeating: 0, count: count + StorageLimits.padding)
        }
        init(copying other: Marks) {
            count = other.count
            bytes = .allocate(capacity: count + StorageLimits.padding)
            bytes.initialize(from: other.bytes, count: count + StorageLimits.padding)
        }
        deinit { bytes.deallocate() }
    }

    let groupRows: [Int]
    /// Deleted rows of all groups.
    package private(set) var count = 0
    private(set) var groupCounts: [Int]
    private var groups: [Marks?]
    /// Names the file that holds these rows; 0 while only the log does.
    let fileID: UInt64

    init(groupRows: [Int], fileID: UInt64 = 0) {
        self.groupRows = groupRows
        self.fileID = fileID
        groupCounts = [Int](repeating: 0, count: groupRows.count)
        groups = [Marks?](repeating: nil, count: groupRows.count)
    }

    /// For so many rows of a ``DeltaRows``.
    convenience init(deltaRows: Int) {
        let rows = StorageLimits.rowGroupRows
        self.init(groupRows: [Int](repeating: rows, count: (deltaRows + rows - 1) / rows))
    }

    /// The rows of both.
    init(_ base: DeletedRows?, adding more: DeletedRows, fileID: UInt64) {
        groupRows = (base?.groupRows.count ?? 0) > more.groupRows.count ? base?.groupRows ?? [] : more.groupRows
        self.fileID = fileID
        groupCounts = [Int](repeating: 0, count: groupRows.count)
        groups = [Marks?](repeating: nil, count: groupRows.count)
        for source in [base, more] {
            guard let source else { continue }
            for group in source.groups.indices {
                if let marks = source.groups[group] { unite(group, marks, source.groupCounts[group]) }
            }
        }
    }

    /// The same rows, stored in a file of that name.
    init(_ other: DeletedRows, fileID: UInt64) {
        groupRows = other.groupRows
        count = other.count
        groupCounts = other.groupCounts
        groups = other.groups
        self.fileID = fileID
    }

    func bytes(group: Int) -> UnsafePointer<UInt8>? {
        groups.indices.contains(group) ? groups[group].map { UnsafePointer($0.bytes) } : nil
    }

    func contains(group: Int, row: Int) -> Bool { bytes(group: group).map { $0[row] != 0 } ?? false }

    func forEachRow(group: Int, _ body: (Int) -> Void) {
        guard let bytes = bytes(group: group) else { return }
        for row in 0..<groupRows[group] where bytes[row] != 0 { body(row) }
    }

    /// Both have some row.
    func intersects(_ other: DeletedRows) -> Bool {
        for group in 0..<min(groups.count, other.groups.count) {
            guard let mine = groups[group], let others = other.groups[group] else { continue }
            var both: UInt8 = 0
            for row in 0..<min(mine.count, others.count) { both |= mine.bytes[row] & others.bytes[row] }
            if both != 0 { return true }
        }
        return false
    }

    // MARK: Filling

    private func memory(_ group: Int) -> UnsafeMutablePointer<UInt8> {
        if isKnownUniquelyReferenced(&groups[group]), let mine = groups[group] { return mine.bytes }
        let made = groups[group].map { Marks(copying: $0) } ?? Marks(count: groupRows[group])
        groups[group] = made
        return made.bytes
    }

    private func unite(_ group: Int, _ marks: Marks, _ marked: Int) {
        guard let present = groups[group] else {
            groups[group] = marks
            groupCounts[group] = marked
            count += marked
            return
        }
        let united = Marks(copying: present)
        var total = 0
        for row in 0..<min(marks.count, united.count) {
            let either = united.bytes[row] | marks.bytes[row]
            united.bytes[row] = either
            total &+= Int(either)
        }
        groups[group] = united
        count += total - groupCounts[group]
        groupCounts[group] = total
    }

    /// Adds rows of one group, given by ids of which only the row counts here.
    ///
    /// - Parameter accepted: receives `first` and on for the ids whose rows were not there.
    /// - Returns: how many were not there; nil when a row does not exist.
    func insert(
        group: Int, _ ids: UnsafePointer<Int64>, _ count: Int, first: Int, accepted: UnsafeMutablePointer<UInt16>
    ) -> Int? {
        let target = memory(group), rows = groupRows[group]
        var new = 0
        for position in 0..<count {
            let row = Int(ids[position] & 0xffff)
            if row >= rows { return nil }
            accepted[new] = UInt16(truncatingIfNeeded: first &+ position)
            new &+= Int(target[row] ^ 1)
            target[row] = 1
        }
        groupCounts[group] += new
        self.count += new
        return new
    }

    /// False when the row was there already.
    func insert(group: Int, row: Int) -> Bool {
        let target = memory(group)
        if target[row] != 0 { return false }
        target[row] = 1
        groupCounts[group] += 1
        count += 1
        return true
    }
}
