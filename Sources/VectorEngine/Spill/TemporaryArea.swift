import Platform
import SQLTypes
import Synchronization

/// Where operators put rows that do not fit their memory: files of one directory, bounded in their total size. A file
/// has no name while it is used, so nothing is left behind when the process ends. Safe from any thread.
package final class TemporaryArea: Sendable {
    /// What queries may use in all; buffers for writing are made small against it.
    let memoryBytes: Int
    private let directory: String
    private let fileSystem: any FileSystem
    private let limitBytes: Int
    private let usedBytes = Atomic<Int>(0)
    private let peakBytes = Atomic<Int>(0)
    private let nextFile = Atomic<Int>(0)

    /// - Parameters:
    ///   - directory: belongs to the area alone; what is in it is removed.
    ///   - limitBytes: more bytes than this are refused with "disk full".
    package init(directory: String, fileSystem: any FileSystem, limitBytes: Int, memoryBytes: Int) throws {
        self.directory = directory
        self.fileSystem = fileSystem
        self.limitBytes = limitBytes
        self.memoryBytes = memoryBytes
        do {
            try fileSystem.removeTree(directory)
        } catch let error as PlatformError {
            throw SQLError(error)
        }
    }

    package var used: Int { usedBytes.load(ordering: .relaxed) }
    package var peak: Int { peakBytes.load(ordering: .relaxed) }

    func makeFile() throws -> SpillFile {
        let number = nextFile.add(1, ordering: .relaxed).oldValue
        let path = FilePath.join(directory, "spill-\(number)")
        do {
            try fileSystem.makeDirectories(directory)
            let file = try fileSystem.open(path, .replace)
            do {
                try fileSystem.remove(path)
            } catch {
                // Once more, so that a passing fault leaves no file; the next start removes what stays.
                try fileSystem.removeTree(path)
            }
            return SpillFile(file, area: self)
        } catch let error as PlatformError {
            throw TemporaryArea.error(error)
        }
    }

    /// A fault of the disk, with what can be done when it is full.
    fileprivate static func error(_ error: PlatformError) -> SQLError {
        var result = SQLError(error)
        if error.kind == .diskFull {
            result.hint = "Make room for temporary files, or give the warehouse more memory."
        }
        return result
    }

    fileprivate func reserve(_ bytes: Int) throws {
        let (sum, overflow) = usedBytes.add(bytes, ordering: .relaxed).oldValue.addingReportingOverflow(bytes)
        if overflow || sum > limitBytes {
            release(bytes)
            throw SQLError(
                .diskFull, "temporary area is full", detail: "Its limit is \(limitBytes) bytes.",
                hint: "Give the warehouse more memory or a larger temporary area.")
        }
        _ = peakBytes.max(sum, ordering: .relaxed)
    }
    fileprivate func release(_ bytes: Int) { _ = usedBytes.subtract(bytes, ordering: .relaxed) }
}

/// One file of the temporary area; its space is given back when the last user lets go. Safe from any thread.
final class SpillFile: Sendable {
    private let file: any OpenFile
    private let area: TemporaryArea
    private let end = Atomic<Int>(0)

    fileprivate init(_ file: any OpenFile, area: TemporaryArea) {
        self.file = file
        self.area = area
    }
    deinit { area.release(end.load(ordering: .relaxed)) }

    /// Writes the bytes behind all others and returns where they are.
    func append(_ bytes: UnsafeRawBufferPointer) throws -> Int {
        try area.reserve(bytes.count)
        let offset = end.add(bytes.count, ordering: .relaxed).oldValue
        do {
            try file.write(bytes, at: Int64(offset))
        } catch let error as PlatformError {
            throw TemporaryArea.error(error)
        }
        return offset
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws {
        do {
            let count = try file.read(into: buffer, at: Int64(offset))
            if count != buffer.count { throw SQLError(.internalError, "temporary file is shorter than written") }
        } catch let error as PlatformError {
            throw TemporaryArea.error(error)
        }
    }
}
