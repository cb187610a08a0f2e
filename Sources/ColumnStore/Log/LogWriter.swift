import Platform
import SQLTypes

/// Appends records to the log, many commits with one write and one sync. One thread at a time.
struct LogWriter {
    private let directory: WarehouseDirectory
    private let segmentBytes: Int
    /// Zeros that are written behind the records when the file grows: a sync of what was there before need not write
    /// the file's length (ext4: 0.20 ms instead of 0.32).
    private let roomBytes: Int
    private var file: (any OpenFile)?
    private var offset: Int64 = 0
    /// The end of the file.
    private var end: Int64 = 0
    /// The number of the next segment.
    private var next: UInt64
    /// Bytes since the last checkpoint.
    private(set) var bytes: Int

    /// Says where a failing write stopped.
    enum Failure: Error {
        /// Nothing of it is in the log.
        case before(SQLError)
        /// Some of it may be.
        case unknown(SQLError)
    }

    /// - Parameters:
    ///   - next: greater than the number of any segment that exists.
    ///   - bytes: in the log already.
    init(_ directory: WarehouseDirectory, segmentBytes: Int, roomBytes: Int, next: UInt64, bytes: Int) {
        self.directory = directory
        self.segmentBytes = segmentBytes
        self.roomBytes = roomBytes
        self.next = next
        self.bytes = bytes
    }

    /// Writes records and makes them durable.
    ///
    /// - Parameter first: the commit of the first of them.
    mutating func append(_ records: [UInt8], first: UInt64) throws(Failure) {
        if let file, offset < Int64(segmentBytes) {
            try append(records, to: file)
        } else {
            try startSegment(records, first: first)
        }
        bytes += records.count
    }

    private mutating func append(_ records: [UInt8], to file: any OpenFile) throws(Failure) {
        let written = offset + Int64(records.count) > end ? withRoom(records) : records
        do {
            try written.withUnsafeBytes { try file.write($0, at: offset) }
        } catch {
            let reason = SQLError(error)
            do {
                try file.truncate(to: offset)
                end = offset
                if directory.synchronize { try file.synchronize() }
            } catch {
                throw .unknown(reason)
            }
            throw .before(reason)
        }
        do {
            if directory.synchronize { try file.synchronizeData() }
        } catch {
            throw .unknown(SQLError(error))
        }
        end = max(end, offset + Int64(written.count))
        offset += Int64(records.count)
    }

    private func withRoom(_ records: [UInt8]) -> [UInt8] { records + [UInt8](repeating: 0, count: roomBytes) }

    private mutating func startSegment(_ records: [UInt8], first: UInt64) throws(Failure) {
        let number = next
        let path = directory.logPath(number)
        let head = LogSegment(number: number, first: first).encoded()
        let made: any OpenFile
        let folders: [any OpenDirectory]
        do {
            try directory.fileSystem.makeDirectories(directory.logDirectory)
            // Before anything is written: afterwards a failure would leave the outcome unknown.
            folders = try directory.opened([directory.logDirectory, directory.root])
            made = try directory.fileSystem.open(path, .create)
        } catch {
            throw .before(SQLError(error))
        }
        let written = withRoom(head + records)
        do {
            try written.withUnsafeBytes { try made.write($0, at: 0) }
        } catch {
            let reason = SQLError(error)
            do {
                try directory.fileSystem.remove(path)
                try folders.first?.synchronize()
            } catch {
                throw .unknown(reason)
            }
            throw .before(reason)
        }
        do {
            if directory.synchronize { try made.synchronize() }
            for folder in folders { try folder.synchronize() }
        } catch {
            throw .unknown(SQLError(error))
        }
        file = made
        offset = Int64(head.count + records.count)
        end = Int64(written.count)
        next = number + 1
    }

    /// A checkpoint holds everything: the segments go. What cannot be removed now is skipped at the next start.
    mutating func clear() {
        file = nil
        offset = 0
        end = 0
        bytes = 0
        directory.removeSegments { $0 < next }
    }
}
