import Glibc
import SQLTypes

/// An unnamed temporary file. One thread at a time.
final class SpoolFile {
    private let descriptor: Int32
    private(set) var size = 0

    init(directory: String) throws {
        var template = Array((directory + "/.result-XXXXXX").utf8CString)
        descriptor = template.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return -1 }
            let descriptor = mkstemp(base)
            if descriptor >= 0 {
                _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
                unlink(base)
            }
            return descriptor
        }
        guard descriptor >= 0 else { throw SpoolFile.failure("create") }
    }
    deinit { close(descriptor) }

    /// Writes at the end; the result is where.
    func append(_ bytes: UnsafeRawBufferPointer) throws -> Int {
        let place = size
        var done = 0
        while done < bytes.count, let base = bytes.baseAddress {
            let count = pwrite(descriptor, base + done, bytes.count - done, off_t(place + done))
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw SpoolFile.failure("write") }
            done += count
        }
        size += bytes.count
        return place
    }

    func read(_ count: Int, at place: Int) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count, let base = buffer.baseAddress {
                let got = pread(descriptor, base + filled, count - filled, off_t(place + filled))
                if got < 0 && errno == EINTR { continue }
                guard got > 0 else { throw SpoolFile.failure("read") }
                filled += got
            }
        }
    }

    /// Forgets everything, so that the space can be used again.
    func clear() {
        if ftruncate(descriptor, 0) == 0 { size = 0 }
    }

    private static func failure(_ what: String) -> SQLError {
        let isFull = errno == ENOSPC
        return SQLError(
            isFull ? .diskFull : .ioError, "could not \(what) a temporary file for results",
            detail: String(cString: strerror(errno)))
    }
}
