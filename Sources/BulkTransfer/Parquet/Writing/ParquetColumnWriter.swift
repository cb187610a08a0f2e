import ColumnVectors
import Glibc
import SQLTypes

/// Values of some rows in the form in which they are collected; NULLs have none.
struct ParquetOutputRun {
    var count = 0
    let words: UnsafeMutablePointer<UInt64>
    let views: UnsafeMutablePointer<StringView>
    /// For the values' numbers.
    let numbers: UnsafeMutablePointer<UInt32>
}

/// One column of a row group as it stands in the file.
struct ParquetOutputChunk {
    /// Its page; empty without one.
    var dictionary: [UInt8] = []
    /// The next row group takes them up again.
    let pages: ParquetPageChain
    var encodings: [ParquetEncoding] = []
    var rows = 0
    var uncompressedBytes = 0
    var statistics: ParquetOutputStatistics
}

/// Collects one column of one row group as compressed pages. Confined to one thread at a time.
///
/// Values are numbered by a dictionary first. After some pages the dictionary is tried: whichever takes fewer bytes,
/// plain values or numbers with the dictionary, is written, and what comes later follows. A dictionary that grows too
/// large is given up; pages made with it stay. The next row groups follow the choice, and after some it is made anew.
final class ParquetColumnWriter {
    private struct Page {
        var rows: Int
        /// One byte a row; empty without NULLs.
        var validity: [UInt8]
        /// Of values; empty where the values are plain.
        var numbers: [UInt32]
    }
    let type: ParquetOutputType
    let name: String
    private var rows = 0
    private let pages = ParquetPageChain()
    private let scratch: ParquetOutputScratch
    private var uncompressedBytes = 0
    private var statistics: ParquetOutputStatistics
    private var dictionary: ParquetOutputDictionary?
    /// Of a dictionary that was given up.
    private var finishedDictionary: [UInt8]?
    /// Pages before the trial.
    private var waiting: [Page] = []
    private var isTried = false
    /// The choice of the last trial, and the row groups that follow it.
    private var choice: Bool?
    private var groupsOfChoice = 0
    private var usesDictionary = false
    private var usesPlain = false
    // The present page.
    private var pageRows = 0
    private var pageNulls = 0
    private var validity: [UInt8] = []
    private var numbers: [UInt32] = []
    /// Behind room for the levels of a page without NULLs.
    private let plain = TextBuffer(capacity: 1 << 12)
    private static let levelRoom = 16

    private static let pageRowLimit = 20_000
    private static let pageByteLimit = 1 << 20
    private static let trialRows = 100_000
    private static let dictionaryByteLimit = 1 << 20
    private static let groupsPerTrial = 8

    init(_ column: OutputColumn, _ scratch: ParquetOutputScratch) {
        self.scratch = scratch
        name = column.name
        type = ParquetOutputType(column.type)
        statistics = ParquetOutputStatistics(type)
        dictionary = ParquetColumnWriter.makeDictionary(type)
        beginPlain()
    }

    private static func makeDictionary(_ type: ParquetOutputType) -> ParquetOutputDictionary? {
        switch type.form {
        case .truth: nil
        case .narrow, .float: ParquetOutputDictionary(words: true, entryBytes: 4)
        case .wide, .double: ParquetOutputDictionary(words: true, entryBytes: 8)
        case .string, .text: ParquetOutputDictionary(words: false, entryBytes: 4)
        case .decimalBytes: ParquetOutputDictionary(words: false, entryBytes: 0)
        }
    }

    /// What is held in memory.
    var heldBytes: Int {
        pages.byteCount + plain.count + 4 * numbers.count + validity.count + (dictionary?.heldBytes ?? 0)
            + waiting.reduce(0) { $0 + 4 * $1.numbers.count + $1.validity.count }
    }
    /// Rows that the present page takes, at least one.
    var room: Int { ParquetColumnWriter.pageRowLimit - pageRows }

    // MARK: Rows

    /// Appends rows, at most ``room``: their validity (nil: no NULLs), and the values that are not NULL.
    func append(_ run: ParquetOutputRun, rows count: Int, validity bytes: UnsafePointer<UInt8>?) throws {
        if run.count < count, let bytes {
            if pageNulls == 0 { validity = Array(repeating: ValidityBytes.valid, count: pageRows) }
            validity.append(contentsOf: UnsafeBufferPointer(start: bytes, count: count))
            pageNulls += count - run.count
        } else if pageNulls > 0 {
            validity.append(contentsOf: repeatElement(ValidityBytes.valid, count: count))
        }
        pageRows += count
        rows += count
        if let dictionary {
            if type.isBytes {
                try dictionary.number(run.views, run.count, run.numbers)
            } else {
                dictionary.number(run.words, run.count, run.numbers)
            }
            numbers.append(contentsOf: UnsafeBufferPointer(start: run.numbers, count: run.count))
            if dictionary.plainBytes > ParquetColumnWriter.dictionaryByteLimit { try giveUpDictionary(dictionary) }
        } else if type.isBytes {
            statistics.add(run.views, run.count)
            appendPlain(run.views, run.count, plain)
        } else {
            statistics.add(run.words, run.count)
            appendPlain(run.words, run.count, plain)
        }
        if pageRows >= ParquetColumnWriter.pageRowLimit || plain.count >= ParquetColumnWriter.pageByteLimit {
            try endPage()
        }
    }

    private func appendPlain(_ words: UnsafePointer<UInt64>, _ count: Int, _ buffer: TextBuffer) {
        ParquetOutputPage.appendPlain(words, count, type.form, to: buffer)
    }
    private func appendPlain(_ views: UnsafePointer<StringView>, _ count: Int, _ buffer: TextBuffer) {
        ParquetOutputPage.appendPlain(views, count, hasLength: type.physical == .byteArray, to: buffer)
    }

    private func appendEntries(_ numbers: [UInt32], _ dictionary: ParquetOutputDictionary, _ buffer: TextBuffer) {
        if type.isBytes {
            for number in numbers { appendPlain(dictionary.views + Int(number), 1, buffer) }
        } else {
            for number in numbers { appendPlain(dictionary.words + Int(number), 1, buffer) }
        }
    }

    // MARK: Pages

    private func endPage() throws {
        if pageRows == 0 { return }
        let page = Page(rows: pageRows, validity: pageNulls > 0 ? validity : [], numbers: numbers)
        statistics.nulls += pageNulls
        if dictionary == nil {
            try finishPlain(page)
            usesPlain = true
        } else if isTried {
            try number(page, to: pages)
            usesDictionary = true
        } else {
            waiting.append(page)
        }
        beginPlain()
        pageRows = 0
        pageNulls = 0
        validity.removeAll(keepingCapacity: true)
        numbers.removeAll(keepingCapacity: true)
        if !isTried && rows >= ParquetColumnWriter.trialRows { try tryDictionary() }
    }

    private func beginPlain() {
        plain.removeAll()
        plain.append(repeating: 0, ParquetColumnWriter.levelRoom)
    }

    /// Without NULLs the few bytes of levels go in front of the values where they stand.
    private func finishPlain(_ page: Page) throws {
        let room = ParquetColumnWriter.levelRoom
        if type.form == .truth { ParquetOutputPage.packTruth(plain, from: room) }
        begin(page)
        let levels = scratch.body.count
        if page.validity.isEmpty && levels <= room {
            memcpy(plain.base + room - levels, scratch.body.base, levels)
            let body = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(plain.bytes)[(room - levels)...])
            return try finish(body, page, .plain, to: pages)
        }
        scratch.body.append(plain.base + room, plain.count - room)
        try finish(page, .plain, to: pages)
    }

    /// The page's numbers, in as many bits as the dictionary needs by now.
    private func number(_ page: Page, to chain: ParquetPageChain) throws {
        let width = RunEncoder.width(below: dictionary?.count ?? 0)
        begin(page)
        scratch.body.append(UInt8(truncatingIfNeeded: width))
        page.numbers.withUnsafeBufferPointer { RunEncoder.append($0, width: width, to: scratch.body) }
        try finish(page, .rleDictionary, to: chain)
    }

    /// The page's numbers turned back into values.
    private func unnumber(_ page: Page, _ dictionary: ParquetOutputDictionary, to chain: ParquetPageChain) throws {
        begin(page)
        appendEntries(page.numbers, dictionary, scratch.body)
        try finish(page, .plain, to: chain)
    }

    private func begin(_ page: Page) {
        scratch.body.removeAll()
        ParquetOutputPage.appendLevels(page.validity, rows: page.rows, to: scratch.body)
    }

    private func finish(_ page: Page, _ encoding: ParquetEncoding, to chain: ParquetPageChain) throws {
        try finish(UnsafeRawBufferPointer(scratch.body.bytes), page, encoding, to: chain)
    }

    private func finish(
        _ body: UnsafeRawBufferPointer, _ page: Page, _ encoding: ParquetEncoding, to chain: ParquetPageChain
    ) throws {
        let (bytes, uncompressed) = try scratch.pack(body, .data) { header in
            header.field(5) {
                $0.field(1, int32: page.rows)
                $0.field(2, int32: encoding.rawValue)
                $0.field(3, int32: ParquetEncoding.rle.rawValue)
                $0.field(4, int32: ParquetEncoding.rle.rawValue)
            }
        }
        try chain.append(bytes)
        uncompressedBytes += uncompressed
    }

    // MARK: The dictionary

    private func dictionaryPage(_ dictionary: ParquetOutputDictionary) throws -> [UInt8] {
        scratch.body.removeAll()
        if type.isBytes {
            appendPlain(dictionary.views, dictionary.count, scratch.body)
        } else {
            appendPlain(dictionary.words, dictionary.count, scratch.body)
        }
        let (bytes, uncompressed) = try scratch.pack(.dictionary) { header in
            header.field(7) {
                $0.field(1, int32: dictionary.count)
                $0.field(2, int32: ParquetEncoding.plain.rawValue)
            }
        }
        uncompressedBytes += uncompressed
        return Array(bytes)
    }

    /// Makes the pages that wait in both forms and keeps the shorter one.
    private func tryDictionary() throws {
        isTried = true
        guard let dictionary else { return }
        let before = uncompressedBytes
        let numbered = ParquetPageChain()
        for page in waiting { try number(page, to: numbered) }
        let numberedBytes = uncompressedBytes
        let size = numbered.byteCount + (try dictionaryPage(dictionary).count)
        uncompressedBytes = before
        let plain = ParquetPageChain()
        for page in waiting { try unnumber(page, dictionary, to: plain) }
        let isWorthwhile = size <= plain.byteCount
        if isWorthwhile {
            uncompressedBytes = numberedBytes
            try pages.append(numbered)
            usesDictionary = true
        } else {
            try pages.append(plain)
            usesPlain = true
            drop(dictionary)
        }
        choice = isWorthwhile
        groupsOfChoice = 0
        waiting = []
    }

    private func drop(_ old: ParquetOutputDictionary) {
        addStatistics(of: old)
        dictionary = nil
    }

    private func addStatistics(of dictionary: ParquetOutputDictionary) {
        if type.isBytes {
            statistics.add(dictionary.views, dictionary.count)
        } else {
            statistics.add(dictionary.words, dictionary.count)
        }
    }

    /// The dictionary is full: the present page becomes plain, and so do all that follow.
    private func giveUpDictionary(_ full: ParquetOutputDictionary) throws {
        if !isTried { try tryDictionary() }
        if dictionary != nil {
            if usesDictionary { finishedDictionary = try dictionaryPage(full) }
            drop(full)
        }
        appendEntries(numbers, full, plain)
        numbers.removeAll(keepingCapacity: true)
    }

    // MARK: The end

    /// Everything of the row group, and begins the next one.
    func take() throws -> ParquetOutputChunk {
        try endPage()
        if !isTried { try tryDictionary() }
        if let dictionary {
            finishedDictionary = try dictionaryPage(dictionary)
            addStatistics(of: dictionary)
        }
        var chunk = ParquetOutputChunk(pages: pages, statistics: statistics)
        chunk.dictionary = finishedDictionary ?? []
        chunk.encodings = [.rle] + (usesPlain || finishedDictionary != nil ? [.plain] : [])
        if usesDictionary { chunk.encodings.append(.rleDictionary) }
        chunk.rows = rows
        chunk.uncompressedBytes = uncompressedBytes
        reset()
        return chunk
    }

    private func reset() {
        rows = 0
        uncompressedBytes = 0
        statistics = ParquetOutputStatistics(type)
        finishedDictionary = nil
        usesDictionary = false
        usesPlain = false
        groupsOfChoice += 1
        if groupsOfChoice >= ParquetColumnWriter.groupsPerTrial { choice = nil }
        isTried = choice != nil
        dictionary = choice == false ? nil : ParquetColumnWriter.makeDictionary(type)
    }
}
