import ColumnStore
import Platform
import SQLTypes

/// The history of a warehouse on disk: numbered files of records, each with its length and checksum. Files have a
/// bounded size, and the oldest go when there are too many, so that the history has a bounded size too. Nothing is
/// synchronised: a crash of the machine may cost the last moments, and a damaged record ends the reading of its file.
/// Safe from any thread.
final class HistoryFiles: Sendable {
    private struct State {
        var number: Int
        var file: (any OpenFile)?
        var size = 0
        /// The last time that the disk has refused; STL_ERROR tells of it. What comes soon after is dropped.
        var failure: (error: SQLError, microseconds: Int64)?
        /// Why a file of an earlier process could not be read.
        var unread: (error: SQLError, microseconds: Int64)?
    }
    private let directory: String
    private let fileSystem: any FileSystem
    private let time: any TimeSource
    private let fileBytes: Int
    private static let fileCount = 8
    private static let headerBytes = 8
    private static let pauseMicroseconds: Int64 = 1_000_000
    static let largestRecord = 64 << 20
    /// Those that earlier processes wrote.
    private let earlier: [Int]
    /// The highest id of earlier statements; 0 for none.
    let lastQuery: Int
    private let state: Lock<State>

    /// - Parameter limitBytes: about this much is kept.
    init(directory: String, fileSystem: any FileSystem, limitBytes: Int, time: any TimeSource) throws {
        self.time = time
        self.directory = directory
        self.fileSystem = fileSystem
        fileBytes = max(limitBytes / HistoryFiles.fileCount, 64 << 10)
        try fileSystem.makeDirectories(directory)
        let numbers = try fileSystem.list(directory).compactMap(HistoryFiles.number).sorted()
        earlier = numbers
        var state = State(number: (numbers.last ?? 0) + 1)
        var last = 0
        for number in numbers.reversed() where last == 0 {
            let path = FilePath.join(directory, HistoryFiles.name(number))
            do {
                try HistoryFiles.forEachRecord(of: path, fileSystem) {
                    last = max(last, try HistoryCodec.queryID($0, file: path) ?? 0)
                }
            } catch {
                state.unread = (SQLError(error), time.wallMicroseconds())
            }
        }
        lastQuery = last
        self.state = Lock(state)
    }

    private static func name(_ number: Int) -> String {
        let digits = String(number)
        return "history-" + String(repeating: "0", count: max(0, 8 - digits.count)) + digits
    }
    static func number(_ name: String) -> Int? { name.hasPrefix("history-") ? Int(name.dropFirst(8)) : nil }

    // MARK: Writing

    func append(_ records: [HistoryRecord]) {
        var bytes: [UInt8] = []
        for record in records {
            let body = HistoryCodec.encode(record)
            if body.count > HistoryFiles.largestRecord { continue }
            var header = BinaryWriter(capacity: HistoryFiles.headerBytes)
            header.put(UInt32(truncatingIfNeeded: body.count))
            header.put(CRC32C.checksum(body))
            bytes += header.bytes
            bytes += body
        }
        if bytes.isEmpty { return }
        state.withLock { state in
            let now = time.wallMicroseconds()
            if let failure = state.failure, (0..<HistoryFiles.pauseMicroseconds).contains(now - failure.microseconds) {
                return
            }
            do {
                try write(bytes, &state)
            } catch {
                state.failure = (SQLError(error), now)
                // Half a record may be in the file, which ends its reading: the next attempt begins another.
                if state.file != nil { state.number += 1 }
                state.file = nil
            }
        }
    }

    private func write(_ bytes: [UInt8], _ state: inout State) throws {
        if state.file == nil {
            state.file = try fileSystem.open(FilePath.join(directory, HistoryFiles.name(state.number)), .replace)
            state.size = 0
            try removeOld()
        }
        try bytes.withUnsafeBytes { try state.file?.append($0) }
        state.size += bytes.count
        if state.size >= fileBytes {
            state.file = nil
            state.number += 1
        }
    }

    private func removeOld() throws {
        let numbers = try fileSystem.list(directory).compactMap(HistoryFiles.number).sorted()
        for number in numbers.dropLast(HistoryFiles.fileCount) {
            try fileSystem.remove(FilePath.join(directory, HistoryFiles.name(number)))
        }
    }

    /// Why something was not written, or not read.
    var failure: (error: SQLError, microseconds: Int64)? { state.withLock { $0.failure ?? $0.unread } }

    func close() { state.withLock { $0.file = nil } }

    // MARK: Reading

    /// What earlier processes wrote, oldest first.
    func earlierRecords() -> [HistoryRecord] {
        var records: [HistoryRecord] = []
        for number in earlier {
            let path = FilePath.join(directory, HistoryFiles.name(number))
            do {
                try HistoryFiles.forEachRecord(of: path, fileSystem) { bytes in
                    if let record = try HistoryCodec.decode(bytes, file: path) { records.append(record) }
                }
            } catch {
                let now = time.wallMicroseconds()
                state.withLock { $0.unread = (SQLError(error), now) }
            }
        }
        return records
    }

    /// Where the reading of a file's records ended.
    enum End: Equatable {
        case whole
        /// The last record has not all its bytes, as after a crash.
        case cutOff(offset: Int)
        case damaged(offset: Int)
    }

    /// Up to the first record that is cut off or damaged; a file that has gone meanwhile has none.
    private static func forEachRecord(
        of path: String, _ fileSystem: any FileSystem, _ body: ([UInt8]) throws -> Void
    ) throws {
        if try fileSystem.status(path) == nil { return }
        _ = forEachRecord(in: try fileSystem.readAll(path), file: path, body)
    }

    static func forEachRecord(in bytes: [UInt8], file path: String, _ body: ([UInt8]) throws -> Void) -> End {
        var position = 0
        while position + headerBytes <= bytes.count {
            var header = BinaryReader(bytes, from: position, file: path)
            guard let length = try? header.get(UInt32.self), let checksum = try? header.get(UInt32.self) else {
                return .damaged(offset: position)
            }
            let start = position + headerBytes
            guard Int(length) <= largestRecord else { return .damaged(offset: position) }
            guard Int(length) <= bytes.count - start else { return .cutOff(offset: position) }
            let record = Array(bytes[start..<start + Int(length)])
            guard CRC32C.checksum(record) == checksum, (try? body(record)) != nil else {
                return .damaged(offset: position)
            }
            position = start + Int(length)
        }
        return position == bytes.count ? .whole : .cutOff(offset: position)
    }
}
