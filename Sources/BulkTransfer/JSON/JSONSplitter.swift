import Glibc

/// Cuts a chunk of JSON text into records and finds the wanted values, some rows at a time. One per worker.
///
/// A window of text is indexed in one go and its records are walked over; a window that is not quite regular, and a
/// record that is bad, are read byte by byte. A bad record ends where the next one seems to begin
/// (``JSONRecordBorder/afterBad(_:_:_:)``).
final class JSONSplitter {
    let table: FieldTable
    /// Bad records of the last ``next(_:)``.
    private(set) var failures: [RecordFailure] = []
    /// Line ends of the chunk before the rows of the last ``next(_:)``, and where those begin.
    private(set) var linesBefore = 0
    private(set) var windowStart = 0
    private(set) var nextLines = 0
    /// Good and bad records of the chunk so far.
    private(set) var records = 0
    /// What decoded strings of the last rows have beyond ASCII.
    private(set) var decoded = JSONEscapes.Content()

    private let tree: JSONFieldTree
    private let takesText: UnsafeMutablePointer<Bool>
    private let takesDocument: UnsafeMutablePointer<Bool>
    private let stack: UnsafeMutablePointer<UInt64>
    private let emptyRow: UnsafeMutablePointer<UInt32>
    private let largestWindow: Int
    private let readsBytes: Bool
    private var window: Int
    private var cursor = 0
    /// Up to here records are read byte by byte.
    private var bytewiseUntil = 0
    private static let smallestWindow = 1024
    private static let rowsAtOnce = 1024

    /// - Parameters:
    ///   - takesText: for each field, whether its column is of characters.
    ///   - takesDocument: for each field, whether its column is of SUPER.
    ///   - readsBytes: switches the index off.
    init(
        tree: JSONFieldTree, takesText: [Bool], takesDocument: [Bool], windowBytes: Int, readsBytes: Bool
    ) {
        self.tree = tree
        self.readsBytes = readsBytes
        largestWindow = max(windowBytes, 1)
        window = largestWindow
        table = FieldTable(fieldCount: takesText.count)
        self.takesText = .allocate(capacity: takesText.count)
        self.takesDocument = .allocate(capacity: takesText.count)
        for field in takesText.indices { self.takesDocument.advanced(by: field).initialize(to: takesDocument[field]) }
        stack = .allocate(capacity: JSONGrammar.stackWords)
        stack.initialize(repeating: 0, count: JSONGrammar.stackWords)
        emptyRow = .allocate(capacity: 2 * takesText.count)
        emptyRow.initialize(repeating: 0, count: 2 * takesText.count)
        for (field, takes) in takesText.enumerated() { self.takesText.advanced(by: field).initialize(to: takes) }
        for (node, more) in tree.moreFields.enumerated() where more.contains(where: { takesText[$0] }) {
            self.takesText[Int(tree.nodes[node].field)] = true
        }
    }
    deinit {
        takesText.deallocate()
        takesDocument.deallocate()
        stack.deallocate()
        emptyRow.deallocate()
    }

    /// Starts with another chunk. The first bytes of its side area become the mark of NULL.
    func begin(_ chunk: ChunkBuffer) {
        cursor = 0
        windowStart = 0
        linesBefore = 0
        nextLines = 0
        records = 0
        bytewiseUntil = readsBytes ? .max : 0
        window = largestWindow
        for byte in JSONRecords.nullMark {
            chunk.text[chunk.sideStart + chunk.sideCount] = byte
            chunk.sideCount += 1
        }
        for field in 0..<table.fieldCount {
            emptyRow[2 * field] = UInt32(truncatingIfNeeded: chunk.sideStart)
            emptyRow[2 * field + 1] = UInt32(truncatingIfNeeded: chunk.sideStart + chunk.sideCount)
        }
    }

    /// Splits more records; false at the end of the chunk. There may be failures and no rows.
    func next(_ chunk: ChunkBuffer) -> Bool {
        failures.removeAll(keepingCapacity: true)
        decoded = JSONEscapes.Content()
        table.beginList()
        linesBefore = nextLines
        windowStart = cursor
        guard cursor < chunk.count else { return false }
        cursor = JSONToken.skipBlanks(chunk.text, cursor, chunk.count)
        if cursor < chunk.count {
            if cursor < bytewiseUntil { splitByBytes(chunk) } else { splitWindow(chunk) }
        }
        nextLines += countNewlines(chunk.text, windowStart, cursor)
        return true
    }

    // MARK: By index

    private func splitWindow(_ chunk: ChunkBuffer) {
        while true {
            let end = min(cursor + window, chunk.count)
            table.reservePositions(end - cursor)
            let found = indexJSON(chunk.text, cursor, end, table.positions)
            if found.isIrregular {
                bytewiseUntil = end
                return splitByBytes(chunk)
            }
            let before = cursor
            walk(chunk, found)
            if cursor < bytewiseUntil { return splitByBytes(chunk) }
            if cursor > before {
                window = min(window * 2, largestWindow)
                return
            }
            if end == chunk.count {
                // The last record is cut off.
                bytewiseUntil = chunk.count
                return splitByBytes(chunk)
            }
            window *= 2
        }
    }

    private func walk(_ chunk: ChunkBuffer, _ found: JSONStructure) {
        var walk = makeWalk(chunk, found.operators, hasBackslashes: found.hasBackslashes)
        while walk.next < found.operators && !table.isFull {
            let start = Int(table.positions[walk.next])
            let trouble = takeRecord(&walk)
            if trouble == .incomplete { break }
            if trouble != .none {
                // Read again byte by byte: that says best what is wrong.
                cursor = start
                bytewiseUntil = start + 1
                window = JSONSplitter.smallestWindow
                break
            }
            cursor = Int(table.positions[walk.next - 1]) + 1
            commit(start)
        }
        finish(walk, chunk)
    }

    // MARK: Byte by byte

    private func splitByBytes(_ chunk: ChunkBuffer) {
        var count = 0
        while cursor < chunk.count && cursor < bytewiseUntil && !table.isFull && count < JSONSplitter.rowsAtOnce {
            splitRecord(chunk)
            count += 1
            cursor = JSONToken.skipBlanks(chunk.text, cursor, chunk.count)
        }
    }

    private func splitRecord(_ chunk: ChunkBuffer) {
        let text = chunk.text
        let start = cursor
        guard text[start] == UInt8(ascii: "{") || text[start] == UInt8(ascii: "[") else {
            return fail(chunk, start, .unexpected, at: start)
        }
        table.reservePositions(chunk.count - start)
        let scan = JSONRecordScan(text, start, chunk.count, stack, table.positions)
        if let trouble = scan.trouble { return fail(chunk, start, JSONTrouble(trouble), at: scan.end) }
        var walk = makeWalk(chunk, scan.operators, hasBackslashes: true)
        let trouble = takeRecord(&walk)
        if trouble != .none {
            fail(chunk, start, trouble, at: walk.place)
        } else {
            cursor = scan.end
            commit(start)
        }
        finish(walk, chunk)
    }

    // MARK: Rows

    private func makeWalk(_ chunk: ChunkBuffer, _ operators: Int, hasBackslashes: Bool) -> JSONWalk {
        JSONWalk(
            text: chunk.text, operators: table.positions, count: operators, hasBackslashes: hasBackslashes, tree: tree,
            nodes: tree.nodes, takesText: takesText, takesDocument: takesDocument, stack: stack,
            side: chunk.text + chunk.sideStart,
            sideStart: chunk.sideStart, sideCount: chunk.sideCount, row: table.nextRow,
            nullBounds: (emptyRow[0], emptyRow[1]))
    }

    private func finish(_ walk: JSONWalk, _ chunk: ChunkBuffer) {
        chunk.sideCount = walk.sideCount
        if walk.decoded.hasHighBytes { decoded.hasHighBytes = true }
        if walk.decoded.isDirty { decoded.isDirty = true }
    }

    @inline(__always)
    private func takeRecord(_ walk: inout JSONWalk) -> JSONTrouble {
        let row = table.nextRow
        memcpy(row, emptyRow, table.fieldCount &* 8)
        walk.row = row
        return walk.takeRecord()
    }

    private func commit(_ start: Int) {
        table.commitRow(start, cursor)
        records += 1
    }

    private func fail(_ chunk: ChunkBuffer, _ start: Int, _ trouble: JSONTrouble, at place: Int) {
        var failure = trouble.failure
        failure.position = place - start
        cursor = JSONRecordBorder.afterBad(chunk.text, start, chunk.count)
        failures.append(RecordFailure(start: start, end: cursor, failure: failure))
        records += 1
    }
}

extension JSONTrouble {
    init(_ trouble: JSONRecordScan.Trouble) {
        switch trouble {
        case .endOfText: self = .incomplete
        case .unexpected: self = .unexpected
        case .controlCharacter: self = .controlCharacter
        case .badToken: self = .badToken
        case .tooDeep: self = .tooDeep
        }
    }
}
