import Catalog
import ColumnVectors
import Platform
import SQLTypes

/// Takes one thread's rows: deals them to slices and copies them into chunks there. One thread at a time.
package final class WriterLane: @unchecked Sendable {  // filled by one thread, read by `finish` afterwards
    private let load: LoadState
    private let plan: WritePlan
    private let index: Int
    /// nil: the column is text by now.
    private var dictionaries: [LaneDictionary?]
    /// How chunks hold the columns from now on: integers in 16 bits, and then in 32, until a value does not fit.
    private var forms: [PhysicalType]
    private var chunks: [[RowChunk]]
    private var rowsTaken = 0
    private var slicesOfRows: [UInt16] = []
    private var positions: [UInt32] = []
    private var codes: [[UInt16]]
    /// Bytes and values of text columns so far, to size heaps.
    private var textBytes: [Int]
    private var textRows: [Int]
    /// Of dictionaries and codes: small against the rows, but every lane has its own.
    private var reservedBytes = 0

    /// The rows so far, while they are few enough for the log.
    private(set) var logRows: ColumnBatch?
    /// More bytes than these are better off in a file.
    static let largestLogBytes = 2 << 20

    init(_ load: LoadState, index: Int) {
        self.load = load
        self.index = index
        plan = load.plan
        logRows = plan.logRows > 0 ? ColumnBatch(types: plan.types) : nil
        let codes = plan.logRows == 0
        dictionaries = plan.isCoded.map { codes && $0 ? LaneDictionary() : nil }
        let narrows = load.plan.narrows
        forms = load.plan.physicals.map { narrows && RowChunk.isNarrowed($0) ? .uint16 : $0 }
        chunks = [[RowChunk]](repeating: [], count: plan.sliceCount)
        self.codes = [[UInt16]](repeating: [], count: plan.physicals.count)
        textBytes = [Int](repeating: 0, count: plan.physicals.count)
        textRows = textBytes
    }

    deinit { load.store.cache.budget.release(reservedBytes) }

    /// Rows in table column order; physical forms as ``SQLType/physical`` says (integers may be narrower). Copies.
    package func append(_ given: ColumnBatch) throws {
        do {
            try check(given)
            let batch = plan.zonedColumns.isEmpty ? given : try inUTC(given)
            if try appendToLog(batch) { return }
            var done = 0
            // Codes and positions are made for pieces, so that scratch memory stays small for huge batches.
            while done < batch.rowCount {
                let rows = min(batch.rowCount - done, 1 << 20)
                if done == 0 && rows == batch.rowCount {
                    try append(piece: batch)
                } else {
                    let piece = ColumnBatch(types: batch.types)
                    for (target, source) in zip(piece.columns, batch.columns) {
                        try target.append(
                            values: source.values + done * source.physical.byteWidth, as: source.physical,
                            validity: source.validity.map { UnsafePointer($0 + done) }, selection: nil, count: rows)
                    }
                    try append(piece: piece)
                }
                done += rows
            }
        } catch {
            throw SQLError(error)
        }
    }

    private func check(_ batch: ColumnBatch) throws {
        guard batch.columns.count == plan.physicals.count else {
            throw SQLError(.internalError, "batch of \(batch.columns.count) columns for \(plan.physicals.count)")
        }
        for (column, physical) in zip(batch.columns, plan.physicals)
        where column.physical != physical && !(column.physical.isInteger && physical.isInteger) {
            throw SQLError(.internalError, "batch column of form \(column.physical), expected \(physical)")
        }
    }

    /// The rows again, times with zones at the offset of UTC.
    private func inUTC(_ batch: ColumnBatch) throws -> ColumnBatch {
        let copy = ColumnBatch(types: plan.types)
        try copy.append(batch)
        plan.putInUTC(copy)
        return copy
    }

    /// False when there are too many rows by now.
    private func appendToLog(_ batch: ColumnBatch) throws -> Bool {
        guard let rows = logRows else { return false }
        if rows.rowCount + batch.rowCount > plan.logRows || rows.reservedBytes > WriterLane.largestLogBytes {
            try leaveLog()
            return false
        }
        let start = rows.rowCount
        try rows.append(batch)
        for (index, column) in rows.columns.enumerated() where plan.isTrimmed[index] {
            let views = column.values(as: StringView.self)
            for row in start..<column.count { views[row] = views[row].trimmed }
        }
        return true
    }

    /// The rows become chunks, as those of any larger load.
    func leaveLog() throws {
        guard let rows = logRows else { return }
        logRows = nil
        for index in plan.isCoded.indices where plan.isCoded[index] {
            dictionaries[index] = LaneDictionary()
        }
        if rows.rowCount > 0 { try append(piece: rows) }
    }

    /// Rows whose slice is known.
    func append(_ batch: ColumnBatch, slice: Int) throws {
        do {
            try encode(batch)
            try append(batch, RowSelection(positions: nil, start: 0, count: batch.rowCount), slice: slice)
            rowsTaken += batch.rowCount
        } catch {
            throw SQLError(error)
        }
    }

    private func append(piece batch: ColumnBatch) throws {
        if load.isOverLimit { try flushUnlessSmall() }
        try encode(batch)
        try deal(batch)
        rowsTaken += batch.rowCount
    }

    /// Codes of strings, and forms that hold all values.
    private func encode(_ batch: ColumnBatch) throws {
        for column in plan.physicals.indices where dictionaries[column] != nil {
            try encode(batch.columns[column], column)
        }
        for column in forms.indices where forms[column] != plan.physicals[column] {
            let form = ScatterLoops.narrowestForm(batch.columns[column])
            if form.byteWidth <= forms[column].byteWidth { continue }
            forms[column] = form.byteWidth < plan.physicals[column].byteWidth ? form : plan.physicals[column]
            for slice in chunks {
                if let last = slice.last, last.space > 0 { try last.widen(column, to: forms[column]) }
            }
        }
        reserveOwn()
    }

    private func reserveOwn() {
        let bytes =
            dictionaries.reduce(0) { $0 + ($1?.reservedBytes ?? 0) } + codes.reduce(0) { $0 + $1.capacity * 2 }
            + positions.capacity * 6
        if bytes <= reservedBytes { return }
        load.store.cache.budget.reserveAlways(bytes - reservedBytes)
        reservedBytes = bytes
    }

    private func encode(_ source: ColumnBuffer, _ column: Int) throws {
        guard let dictionary = dictionaries[column] else { return }
        let count = source.count
        if codes[column].count < count { codes[column] = [UInt16](repeating: 0, count: count) }
        let views = UnsafePointer(source.values(as: StringView.self))
        let validity = source.validity.map { UnsafePointer($0) }
        let fits = try codes[column].withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return true }
            return try dictionary.encode(views, validity, count, trim: plan.isTrimmed[column], into: base)
        }
        if fits { return }
        dictionaries[column] = nil
        codes[column] = []
        for slice in chunks { if let last = slice.last, last.space > 0 { try last.decodeToText(column) } }
    }

    // MARK: Dealing

    private func deal(_ batch: ColumnBatch) throws {
        let count = batch.rowCount
        if count == 0 { return }
        switch plan.placement {
        case .key(let column) where plan.sliceCount > 1:
            try dealByKey(batch, column)
        case .even where plan.sliceCount > 1:
            if plan.isAuto && rowsTaken < plan.autoAllRows {
                let home = index % plan.sliceCount
                load.note(rows: count, slice: home)
                return try append(batch, RowSelection(positions: nil, start: 0, count: count), slice: home)
            }
            var start = 0
            for (slice, rows) in load.dealEvenly(count, first: index) where rows > 0 {
                try append(batch, RowSelection(positions: nil, start: start, count: rows), slice: slice)
                start += rows
            }
        default: try append(batch, RowSelection(positions: nil, start: 0, count: count), slice: 0)
        }
    }

    private func dealByKey(_ batch: ColumnBatch, _ column: Int) throws {
        let count = batch.rowCount
        if slicesOfRows.count < count {
            slicesOfRows = [UInt16](repeating: 0, count: count)
            positions = [UInt32](repeating: 0, count: count)
        }
        let slices = plan.sliceCount
        var starts = [Int](repeating: 0, count: slices + 1)
        slicesOfRows.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            DistributionHash.assign(
                batch.columns[column], type: plan.types[column], slices: slices, into: base)
            for row in 0..<count { starts[Int(base[row]) + 1] += 1 }
        }
        for slice in 0..<slices { starts[slice + 1] += starts[slice] }
        var next = starts
        slicesOfRows.withUnsafeBufferPointer { slicesOfRows in
            positions.withUnsafeMutableBufferPointer { positions in
                next.withUnsafeMutableBufferPointer { next in
                    for row in 0..<count {
                        let slice = Int(slicesOfRows[row])
                        positions[next[slice]] = UInt32(truncatingIfNeeded: row)
                        next[slice] &+= 1
                    }
                }
            }
        }
        try positions.withUnsafeBufferPointer { positions in
            guard let base = positions.baseAddress else { return }
            for slice in 0..<slices where starts[slice + 1] > starts[slice] {
                let rows = starts[slice + 1] - starts[slice]
                try append(
                    batch, RowSelection(positions: base + starts[slice], start: 0, count: rows), slice: slice)
            }
        }
    }

    private func append(_ batch: ColumnBatch, _ rows: RowSelection, slice: Int) throws {
        var done = 0
        while done < rows.count {
            let chunk = try openChunk(slice)
            let part = rows.part(from: done, count: min(chunk.space, rows.count - done))
            let before = chunk.bytes
            for column in plan.physicals.indices {
                try append(batch.columns[column], part, to: chunk, column)
            }
            chunk.advance(part.count)
            load.note(bytes: chunk.bytes - before)
            done += part.count
        }
    }

    private func openChunk(_ slice: Int) throws -> RowChunk {
        if let last = chunks[slice].last, last.space > 0 { return last }
        let grown = chunks[slice].last.map { $0.capacity * 8 } ?? 1_024
        let capacity = RowChunk.fittingCapacity(
            min(grown, plan.largestChunk, StorageLimits.rowGroupRows), forms, dictionaries)
        let budget = load.store.cache.budget
        let chunk: RowChunk
        do {
            chunk = try RowChunk(capacity: capacity, forms, dictionaries: dictionaries, budget: budget)
        } catch is MemoryExhausted {
            try flushUnlessSmall()
            chunk = try RowChunk(capacity: 1_024, forms, dictionaries: dictionaries, budget: budget, isNeeded: true)
        }
        load.note(bytes: chunk.bytes)
        chunks[slice].append(chunk)
        return chunk
    }

    private func append(_ source: ColumnBuffer, _ rows: RowSelection, to chunk: RowChunk, _ column: Int) throws {
        let form = chunk.columns[column].form
        if form != .string {
            let target = chunk.columns[column].data + chunk.count * form.byteWidth
            ScatterLoops.copyValues(source, rows, to: target, as: form)
        } else if chunk.columns[column].isText {
            try appendText(source, rows, to: chunk, column)
        } else {
            codes[column].withUnsafeBytes { codes in
                guard let base = codes.baseAddress else { return }
                ScatterLoops.copy(base, rows, chunk.columns[column].data + chunk.count * 2, 2)
            }
        }
        if let validity = source.validity {
            let target = try chunk.validity(column) + chunk.count
            ScatterLoops.copy(validity, rows, target, 1)
        }
    }

    private func appendText(_ source: ColumnBuffer, _ rows: RowSelection, to chunk: RowChunk, _ column: Int) throws {
        let views = UnsafePointer(source.values(as: StringView.self))
        let validity = source.validity.map { UnsafePointer($0) }
        let more = ScatterLoops.stringBytes(views, validity, rows)
        textBytes[column] += more
        textRows[column] += rows.count
        let average = textBytes[column] / max(textRows[column], 1) + 1
        let expected = min((average * 9 / 8 + 1) * chunk.capacity, 64 << 20)
        try chunk.reserveHeap(column, more, expected: expected)
        let place = chunk.columns[column]
        chunk.columns[column].heapCount = ScatterLoops.copyStrings(
            views, validity, rows, trim: plan.isTrimmed[column], heap: place.heap, position: place.heapCount,
            offsets: place.offsets + chunk.count)
    }

    // MARK: Handing over

    /// All chunks, which the lane forgets.
    func takeChunks() -> [[RowChunk]] {
        defer { chunks = [[RowChunk]](repeating: [], count: plan.sliceCount) }
        return chunks
    }

    /// Writes what the lane has as parts of their own: memory is short. Some rows more than there is room for do less
    /// harm than thousands of parts of some rows each.
    private func flushUnlessSmall() throws {
        let bytes = chunks.joined().reduce(0) { $0 + $1.bytes }
        if bytes == 0 || bytes < plan.smallestEarlyPart { return }
        let taken = takeChunks()
        try load.writeEarly(taken)
        load.note(bytes: -bytes)
    }
}
