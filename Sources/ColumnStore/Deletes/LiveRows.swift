import ColumnVectors

extension Part {
    /// Appends a row group's remaining rows in canonical physical form, all columns: for rewriting tables.
    package func decodeLive(group: Int, into batch: ColumnBatch) throws {
        guard let deleted = deletedRows(group: group) else {
            for index in batch.columns.indices { try decode(column: index, group: group, into: batch.columns[index]) }
            return
        }
        let rows = rows(inGroup: group)
        if deletedRowCount(inGroup: group) == rows { return }
        var kept: [UInt16] = []
        kept.reserveCapacity(rows)
        for row in 0..<rows where deleted[row] == 0 { kept.append(UInt16(truncatingIfNeeded: row)) }
        for (index, column) in batch.columns.enumerated() {
            let whole = ColumnBuffer(batch.types[index])
            try decode(column: index, group: group, into: whole)
            try kept.withUnsafeBufferPointer { positions in
                try column.append(
                    values: whole.values, as: whole.physical, validity: whole.validity.map { UnsafePointer($0) },
                    selection: positions.baseAddress, count: positions.count)
            }
        }
    }
}
