import ColumnVectors
import SQLTypes

/// Materialised rows between pipelines: contiguous columns, addressed by row number. Immutable once made; strings and
/// values live as long as the set.
final class RowSet: @unchecked Sendable {  // immutable after init
    struct Column {
        /// The register that the values came from: type, form, bounds, dictionary.
        var form: Register
        var values: UnsafeMutableRawPointer
        /// nil: no NULLs.
        var validity: UnsafeMutablePointer<UInt8>?
        /// For columns that stand alone: what keeps their memory.
        var owners: [AnyObject] = []
        var hasNulls: Bool { validity != nil }
    }
    let columns: [Column]
    let count: Int
    private let owners: [AnyObject]

    init(columns: [Column], count: Int, owners: [AnyObject]) {
        self.columns = columns
        self.count = count
        self.owners = owners
    }

    /// Joins what the workers collected. One worker's buffers are taken as they are.
    /// - Parameter accounted: lives as long as the rows.
    static func joining(
        _ parts: [[ColumnBuffer]], forms: [Register], accounted: [AnyObject] = []
    ) throws -> RowSet {
        let filled = parts.filter { ($0.first?.count ?? 0) > 0 }
        if filled.count <= 1, let only = filled.first ?? parts.first {
            let columns = zip(only, forms).map { buffer, form in
                Column(form: form, values: buffer.values, validity: buffer.validity)
            }
            return RowSet(columns: columns, count: only.first?.count ?? 0, owners: only + accounted)
        }
        let total = filled.reduce(0) { $0 + $1[0].count }
        var columns: [Column] = []
        // Strings stay where they are; all other buffers have been copied.
        var owners: [AnyObject] = accounted + filled.flatMap { $0.filter { $0.physical == .string } }
        for (index, form) in forms.enumerated() {
            let joined = ColumnBuffer(form.physical)
            try joined.reserve(additional: total)
            if filled.contains(where: { $0[index].validity != nil }) { try joined.useValidity() }
            for part in filled { joined.appendShallow(part[index]) }
            owners.append(joined)
            columns.append(Column(form: form, values: joined.values, validity: joined.validity))
        }
        return RowSet(columns: columns, count: total, owners: owners)
    }
}

extension ColumnBuffer {
    /// Appends without copying string bytes: the other buffer must outlive this one. Room has been reserved.
    fileprivate func appendShallow(_ other: ColumnBuffer) {
        let start = count
        let width = physical.byteWidth
        values.advanced(by: start * width).copyMemory(from: other.values, byteCount: other.count * width)
        advance(other.count)
        if let validity, let from = other.validity {
            (validity + start).update(from: from, count: other.count)
        }
    }
}
