import Glibc

/// A growing run of bytes that values are written into as text: result rows, UNLOAD files, casts. One thread at a time.
public final class TextBuffer {
    public private(set) var base: UnsafeMutablePointer<UInt8>
    public private(set) var count = 0
    private var capacity: Int

    public init(capacity: Int = 256) {
        self.capacity = max(capacity, 16)
        base = .allocate(capacity: self.capacity)
    }
    deinit { base.deallocate() }

    /// Room for at least so many bytes at the end: write there, then call ``advance(_:)``.
    @inline(__always)
    public func room(_ bytes: Int) -> UnsafeMutablePointer<UInt8> {
        if capacity &- count < bytes { grow(bytes) }
        return base + count
    }
    @inline(__always)
    public func advance(_ bytes: Int) { count &+= bytes }

    @inline(never)
    private func grow(_ bytes: Int) {
        let larger = max(capacity * 2, count + bytes)
        let fresh = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        memcpy(fresh, base, count)
        base.deallocate()
        base = fresh
        capacity = larger
    }

    public func append(_ byte: UInt8) {
        room(1).pointee = byte
        count &+= 1
    }
    public func append(_ bytes: UnsafePointer<UInt8>, _ length: Int) {
        if length == 0 { return }
        memcpy(room(length), bytes, length)
        count &+= length
    }
    public func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        if let start = bytes.baseAddress { append(start, bytes.count) }
    }
    public func append(_ bytes: [UInt8]) { bytes.withUnsafeBufferPointer { append($0) } }
    public func append(_ text: StaticString) { append(text.utf8Start, text.utf8CodeUnitCount) }
    public func append(text: String) {
        var text = text
        text.withUTF8 { append($0) }
    }
    public func append(repeating byte: UInt8, _ length: Int) {
        if length <= 0 { return }
        memset(room(length), Int32(byte), length)
        count &+= length
    }

    /// The bytes so many times, by copying what stands there already.
    public func append(_ bytes: UnsafeBufferPointer<UInt8>, times: Int) {
        guard let start = bytes.baseAddress, times > 0, bytes.count > 0 else { return }
        let total = bytes.count * times
        let target = room(total)
        memcpy(target, start, bytes.count)
        var done = bytes.count
        while done < total {
            let step = min(done, total - done)
            memcpy(target + done, target, step)
            done += step
        }
        count &+= total
    }

    /// Exactly two decimal digits of 0 ... 99.
    @inline(__always)
    public func appendTwoDigits(_ value: Int) {
        let target = room(2)
        target[0] = UInt8(truncatingIfNeeded: 48 &+ value / 10)
        target[1] = UInt8(truncatingIfNeeded: 48 &+ value % 10)
        count &+= 2
    }

    public func removeAll() { count = 0 }
    /// Cuts the end off.
    public func truncate(to length: Int) { count = min(count, max(length, 0)) }
    public var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: base, count: count) }
    public var array: [UInt8] { Array(bytes) }
    public var string: String { String(decoding: bytes, as: UTF8.self) }
}
