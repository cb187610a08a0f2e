import SQLTypes

/// Big-endian fields and message frames.
extension TextBuffer {
    @inline(__always)
    func append(int16 value: Int16) {
        UnsafeMutableRawPointer(room(2)).storeBytes(of: value.bigEndian, as: Int16.self)
        advance(2)
    }
    @inline(__always)
    func append(int32 value: Int32) {
        UnsafeMutableRawPointer(room(4)).storeBytes(of: value.bigEndian, as: Int32.self)
        advance(4)
    }
    @inline(__always)
    func append(int64 value: Int64) {
        UnsafeMutableRawPointer(room(8)).storeBytes(of: value.bigEndian, as: Int64.self)
        advance(8)
    }
    /// Text with its closing NUL; NULs inside would end it early and are left out.
    func append(cString text: String) {
        for byte in text.utf8 where byte != 0 { append(byte) }
        append(0 as UInt8)
    }
    @inline(__always)
    func set(int32 value: Int, at offset: Int) {
        UnsafeMutableRawPointer(base + offset).storeBytes(
            of: Int32(truncatingIfNeeded: value).bigEndian, as: Int32.self)
    }

    /// A message: type, length (filled in afterwards), body.
    func message(_ type: UInt8, _ body: () -> Void) {
        append(type)
        let start = count
        append(int32: 0)
        body()
        set(int32: count - start, at: start)
    }
}
