@testable import SQLTypes

/// Runs a reader on a string's bytes.
func reading<Value>(_ text: String, _ body: (UnsafePointer<UInt8>, Int) throws -> Value) rethrows -> Value {
    var bytes = Array(text.utf8)
    bytes.append(0)
    return try bytes.withUnsafeBufferPointer { try body($0.baseAddress!, $0.count - 1) }
}

/// What a writer writes.
func written(_ body: (TextBuffer) -> Void) -> String {
    let buffer = TextBuffer(capacity: 16)
    body(buffer)
    return buffer.string
}
