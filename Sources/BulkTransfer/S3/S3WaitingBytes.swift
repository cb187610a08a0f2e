import Platform
import SQLTypes

/// What the unfinished parts of an UNLOAD have in memory, and the file in which they wait when that is too much. S3
/// takes no parts below 5 MB but the last, and PARTITION BY may write thousands of objects at a time. Safe from any
/// thread.
final class S3WaitingBytes: Sendable {
    struct Extent {
        var offset: Int64
        var count: Int
    }
    private struct State {
        var bytes = 0
        var file: (any OpenFile)?
        var end: Int64 = 0
    }
    private let state = Lock(State())
    private let limit: Int
    private let fileSystem: any FileSystem
    private let folder: String?
    private let token: String

    /// - Parameter folder: of temporary files; without one everything waits in memory.
    init(limit: Int, _ fileSystem: any FileSystem, folder: String?, token: UInt64) {
        self.limit = limit
        self.fileSystem = fileSystem
        self.folder = folder
        self.token = String(token, radix: 36)
    }

    func add(_ bytes: Int) { state.withLock { $0.bytes += bytes } }
    func remove(_ bytes: Int) { state.withLock { $0.bytes -= bytes } }
    var isTooMuch: Bool { state.withLock { $0.bytes > limit } }

    /// nil when there is no room.
    func store(_ bytes: UnsafeBufferPointer<UInt8>) -> Extent? {
        do {
            return try state.withLock { state in
                guard let file = try state.file ?? open() else { return nil }
                state.file = file
                let extent = Extent(offset: state.end, count: bytes.count)
                try file.write(UnsafeRawBufferPointer(bytes), at: state.end)
                state.end += Int64(bytes.count)
                return extent
            }
        } catch { return nil }
    }

    /// It has no name while it is used, so that nothing is left of it however the process ends.
    private func open() throws -> (any OpenFile)? {
        guard let folder else { return nil }
        try fileSystem.makeDirectories(folder)
        let path = FilePath.join(folder, "unload-\(token)")
        let file = try fileSystem.open(path, .create)
        try fileSystem.remove(path)
        return file
    }

    func fetch(_ extent: Extent, into buffer: UnsafeMutableRawBufferPointer) throws {
        guard let file = state.withLock({ $0.file }), try file.read(into: buffer, at: extent.offset) == extent.count
        else { throw SQLError(.ioError, "temporary file of an UNLOAD cannot be read") }
    }
}
