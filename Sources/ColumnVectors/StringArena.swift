import Glibc
import Platform

/// Owns the bytes that string views point to. Bytes never move; all are freed together. Not thread-safe.
public final class StringArena {
    private var chunks: [Region] = []
    private var current: UnsafeMutablePointer<UInt8>
    private var left = 0
    /// All bytes taken from the system, used or not.
    public private(set) var reservedBytes = 0

    private static let firstChunk = 16 << 10
    private static let largestChunk = 2 << 20

    /// Where bytes beyond ``uncountedBytes`` are counted: a batch of SUPER values may have many gigabytes.
    private let grant: MemoryGrant?
    private var grantedBytes = 0
    private static let uncountedBytes = 32 << 20

    public init(grant: MemoryGrant? = nil) {
        self.grant = grant
        current = UnsafeMutablePointer(bitPattern: 128).unsafelyUnwrapped
    }
    deinit {
        for chunk in chunks { MemoryRegions.shared.give(back: chunk) }
        if grantedBytes > 0 { grant?.release(grantedBytes) }
    }

    /// Room for so many bytes, uninitialised.
    public func allocate(_ bytes: Int) throws -> UnsafeMutablePointer<UInt8> {
        if bytes > left { try addChunk(bytes) }
        let result = current
        current += bytes
        left -= bytes
        return result
    }

    /// A copy of the bytes.
    public func copy(_ bytes: UnsafeBufferPointer<UInt8>) throws -> StringView {
        guard let base = bytes.baseAddress, bytes.count > 0 else { return .empty }
        let target = try allocate(bytes.count)
        memcpy(target, base, bytes.count)
        return StringView(target, count: bytes.count)
    }

    private func addChunk(_ bytes: Int) throws {
        let next = min(max(StringArena.firstChunk, reservedBytes), StringArena.largestChunk)
        let size = max(bytes, next)
        if let grant, reservedBytes + size > StringArena.uncountedBytes {
            try grant.reserve(size)
            grantedBytes += size
        }
        let chunk = try MemoryRegions.shared.take(bytes: size)
        chunks.append(chunk)
        reservedBytes += chunk.capacity
        current = chunk.address.assumingMemoryBound(to: UInt8.self)
        left = chunk.capacity
    }

    /// Forgets all strings and keeps the largest chunk for the next ones.
    public func removeAll() {
        guard let kept = chunks.max(by: { $0.capacity < $1.capacity }) else { return }
        for chunk in chunks where chunk.address != kept.address { MemoryRegions.shared.give(back: chunk) }
        if grantedBytes > 0 {
            grant?.release(grantedBytes)
            grantedBytes = 0
        }
        chunks = [kept]
        reservedBytes = kept.capacity
        current = kept.address.assumingMemoryBound(to: UInt8.self)
        left = kept.capacity
    }
}
