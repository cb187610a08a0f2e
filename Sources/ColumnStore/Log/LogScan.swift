import Platform
import SQLTypes

/// What reading the log has found.
package struct LogReport: Sendable {
    package internal(set) var segments = 0
    package internal(set) var bytes = 0
    /// Commits after the last checkpoint.
    package internal(set) var commits = 0
    /// The end of the log that no complete record holds: what a crash cut off in the middle of a write.
    package internal(set) var broken: BrokenTail?
    /// Broken ends that earlier starts have put aside.
    package internal(set) var quarantined: [String] = []

    package struct BrokenTail: Sendable {
        package var file: String
        package var offset: Int
        package var byteCount: Int
        /// The commit that would have been next.
        package var commit: UInt64
        /// Complete records behind the break, of commits that had not been acknowledged either.
        package var completeRecords: Int
        /// Where its bytes are now; nil when nothing was changed.
        package internal(set) var savedAs: String?

        /// For people.
        package var message: String {
            let saved = savedAs.map { "; they are kept in \"\($0)\"" } ?? ""
            let more = completeRecords > 0 ? " with \(completeRecords) complete records behind a gap" : ""
            return "log file \"\(file)\" ends in the middle of commit \(commit): \(byteCount) bytes from offset "
                + "\(offset) on\(more) were never acknowledged and are dropped\(saved)"
        }
    }
}

/// Reads the log from the first segment on. Ends at the first record that is not complete. When something behind it
/// proves that it had been complete once, the log is damaged, and reading fails.
struct LogScan {
    private let directory: WarehouseDirectory
    private(set) var report = LogReport()
    /// The number for the next segment.
    private(set) var nextSegment: UInt64 = 1
    /// The next commit.
    private var next: UInt64
    private let checkpoint: UInt64

    /// - Parameter checkpoint: the last commit that the superblock holds.
    init(_ directory: WarehouseDirectory, checkpoint: UInt64) {
        self.directory = directory
        self.checkpoint = checkpoint
        next = checkpoint + 1
    }

    private struct Segment {
        var number: UInt64
        var path: String
        var bytes: [UInt8]
        var head: LogSegment?

        /// Only zeros from there on: room that no record was written to.
        func isEmpty(from offset: Int) -> Bool { bytes[min(offset, bytes.count)...].allSatisfy { $0 == 0 } }
    }

    /// - Parameter body: receives each commit's payload after the checkpoint, in order, while it is in memory.
    mutating func read(_ body: (UInt64, UnsafeRawBufferPointer, String) throws -> Void) throws {
        let numbers = try directory.segmentNumbers()
        report.quarantined = try directory.quarantinedTails()
        nextSegment = (numbers.last ?? 0) + 1
        var isFirst = true
        for (index, number) in numbers.enumerated().dropFirst(try obsoleteCount(numbers)) {
            let segment = try load(number)
            guard let head = segment.head else {
                // A segment that a crash left before its head was durable holds nothing that was acknowledged.
                try end(segment, at: 0, behind: Array(numbers[(index + 1)...]))
                return
            }
            if head.first > next || !isFirst && head.first < next {
                throw damaged(
                    segment.path, "it starts with commit \(head.first) where commit \(next) should follow")
            }
            if isFirst { next = head.first }
            isFirst = false
            let stop = try segment.bytes.withUnsafeBytes { try read(segment, $0, body) }
            report.bytes += stop
            if stop < segment.bytes.count && !segment.isEmpty(from: stop) {
                try end(segment, at: stop, behind: Array(numbers[(index + 1)...]))
                return
            }
        }
        if next <= checkpoint { next = checkpoint + 1 }
    }

    /// Segments before one that starts at the checkpoint or earlier hold nothing that is needed.
    private func obsoleteCount(_ numbers: [UInt64]) throws -> Int {
        for index in numbers.indices.reversed() where index > 0 {
            let path = directory.logPath(numbers[index])
            if let head = try directory.readSegmentHead(path), head.first <= checkpoint + 1 { return index }
        }
        return 0
    }

    private mutating func load(_ number: UInt64) throws -> Segment {
        let path = directory.logPath(number)
        let bytes: [UInt8]
        do { bytes = try directory.fileSystem.readAll(path) } catch { throw SQLError(error) }
        report.segments += 1
        let head = try LogSegment(bytes, file: path)
        if let head, head.number != number { throw damaged(path, "it is segment \(head.number)") }
        return Segment(number: number, path: path, bytes: bytes, head: head)
    }

    private func damaged(_ path: String, _ what: String) -> SQLError {
        SQLError(
            .dataCorrupted, "log file \"\(path)\" is damaged: \(what)",
            detail: "Commits that had been acknowledged would be lost.",
            hint: "Restore the warehouse from a backup. \"redbarn doctor\" shows what can still be read.")
    }

    /// Where the first incomplete record starts; the end when there is none.
    private mutating func read(
        _ segment: Segment, _ bytes: UnsafeRawBufferPointer,
        _ body: (UInt64, UnsafeRawBufferPointer, String) throws -> Void
    ) throws -> Int {
        var offset = LogSegment.headLength
        while offset < bytes.count {
            guard let record = LogRecord(bytes, at: offset), record.commit == next,
                record.totalLength <= bytes.count - offset, let payload = record.payload(bytes, at: offset)
            else { return offset }
            if next > checkpoint {
                try body(next, payload, segment.path)
                report.commits += 1
            }
            next += 1
            offset += record.totalLength
        }
        return bytes.count
    }

    /// The log ends here, unless what follows proves that more had been acknowledged.
    private mutating func end(_ segment: Segment, at offset: Int, behind numbers: [UInt64]) throws {
        var complete = 0
        func look(_ path: String, _ bytes: [UInt8], from start: Int) throws {
            try bytes.withUnsafeBytes { bytes in
                var place = LogRecord.padded(start)
                while place < bytes.count {
                    if let record = LogRecord(bytes, at: place), record.commit > next || record.durable >= next {
                        if record.durable >= next {
                            throw damaged(
                                segment.path,
                                "commit \(next) at offset \(offset) cannot be read, but commit \(record.commit) in "
                                    + "\"\(path)\" at offset \(place) was written after it")
                        }
                        if record.payload(bytes, at: place) != nil { complete += 1 }
                    }
                    place += 8
                }
            }
        }
        try look(segment.path, segment.bytes, from: max(offset, segment.head == nil ? 0 : LogSegment.headLength))
        for number in numbers {
            let later = try load(number)
            if let head = later.head,
                head.first > next || head.first == next && !later.isEmpty(from: LogSegment.headLength)
            {
                throw damaged(
                    segment.path, "commit \(next) at offset \(offset) cannot be read, but segment \(number) follows")
            }
            try look(later.path, later.bytes, from: 0)
        }
        report.broken = LogReport.BrokenTail(
            file: segment.path, offset: offset, byteCount: segment.bytes.count - offset, commit: next,
            completeRecords: complete)
    }
}

extension WarehouseDirectory {
    var logDirectory: String { FilePath.join(root, "log") }
    func logPath(_ number: UInt64) -> String { FilePath.join(logDirectory, LogSegment.name(number)) }

    private func logNames() throws -> [String] {
        do {
            guard try fileSystem.status(logDirectory) != nil else { return [] }
            return try fileSystem.list(logDirectory)
        } catch {
            throw SQLError(error)
        }
    }

    /// In order.
    func segmentNumbers() throws -> [UInt64] { try logNames().compactMap(LogSegment.number(ofName:)).sorted() }

    func readSegmentHead(_ path: String) throws -> LogSegment? {
        do {
            let file = try fileSystem.open(path, .read)
            let bytes = try [UInt8](unsafeUninitializedCapacity: LogSegment.headLength) { buffer, count in
                count = try file.read(into: UnsafeMutableRawBufferPointer(buffer), at: 0)
            }
            return try LogSegment(bytes, file: path)
        } catch {
            throw SQLError(error)
        }
    }

    func quarantinedTails() throws -> [String] {
        try logNames().filter { $0.hasSuffix(".broken") }.map { FilePath.join(logDirectory, $0) }
    }

    /// Failures are left for the next start, which skips what the superblock holds.
    func removeSegments(where condition: (UInt64) -> Bool) {
        for number in (try? segmentNumbers()) ?? [] where condition(number) { fileSystem.discard(logPath(number)) }
    }

    /// Keeps the broken end's bytes in a file of their own, then cuts them off.
    func putAside(_ broken: inout LogReport.BrokenTail) throws {
        do {
            let bytes = Array(try fileSystem.readAll(broken.file).dropFirst(broken.offset))
            if !bytes.isEmpty {
                let path = "\(broken.file).\(broken.offset).broken"
                try fileSystem.replaceDurably(path, with: bytes)
                broken.savedAs = path
            }
            if broken.offset < LogSegment.headLength {
                try fileSystem.remove(broken.file)
            } else {
                let file = try fileSystem.open(broken.file, .update)
                try file.truncate(to: Int64(broken.offset))
                if synchronize { try file.synchronize() }
            }
            if synchronize { try fileSystem.synchronizeDirectory(logDirectory) }
        } catch {
            throw SQLError(error)
        }
    }
}
