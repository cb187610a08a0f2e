import SQLTypes

/// Which rows of a part are deleted, one byte a row, row groups without deletions left out. Immutable once a snapshot
/// has it; shared by all snapshots between two deletions.
public final class DeletedRows: @unchecked Sendable {  // memory is only written while one owner fills it
    let groupRows: [Int]
    /// Deleted rows of all groups.
    public private(set) var count = 0
    private(set) var groupCounts: [Int]
    private var groups: [UnsafeMutablePointer<UInt8>?]
    /// Names the file that holds these rows; 0 while no file does.
    let fileID: UInt64

    init(groupRows: [Int], fileID: UInt64 = 0) {
        self.groupRows = groupRows
        self.fileID = fileID
        groupCounts = [Int](repeating: 0, count: groupRows.count)
        groups = [UnsafeMutablePointer<UInt8>?](repeating: nil, count: groupRows.count)
    }

    /// The rows of both, to be stored in a file of that name.
    init(_ base: DeletedRows?, adding more: DeletedRows, fileID: UInt64) {
        groupRows = more.groupRows
        self.fileID = fileID
        groupCounts = [Int](repeating: 0, count: groupRows.count)
        groups = [UnsafeMutablePointer<UInt8>?](repeating: nil, count: groupRows.count)
        for source in [base, more] {
            guard let source else { continue }
            for group in groupRows.indices { if let bytes = source.groups[group] { unite(group, bytes) } }
        }
    }

    deinit { for group in groups { group?.deallocate() } }

    func bytes(group: Int) -> UnsafePointer<UInt8>? { groups[group].map { UnsafePointer($0) } }

    /// Both have some row.
    func intersects(_ other: DeletedRows) -> Bool {
        for group in groupRows.indices {
            guard let mine = groups[group], let others = other.groups[group] else { continue }
            var both: UInt8 = 0
            for row in 0..<groupRows[group] { both |= mine[row] & others[row] }
            if both != 0 { return true }
        }
        return false
    }

    // MARK: Filling

    private func memory(_ group: Int) -> UnsafeMutablePointer<UInt8> {
        if let known = groups[group] { return known }
        let rows = groupRows[group]
        let made = UnsafeMutablePointer<UInt8>.allocate(capacity: rows + StorageLimits.padding)
        made.initialize(repeating: 0, count: rows + StorageLimits.padding)
        groups[group] = made
        return made
    }

    private func unite(_ group: Int, _ bytes: UnsafePointer<UInt8>) {
        let target = memory(group)
        var total = 0
        for row in 0..<groupRows[group] {
            let either = target[row] | bytes[row]
            target[row] = either
            total &+= Int(either)
        }
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
