import Glibc
import SQLTypes

/// Rows that a client sends, as the one object of a load. ``CopyOptions`` of ``loadOptions`` read what it gives:
/// whatever the client's format, fields end at 0x1F and records at a line end, a backslash takes the meaning from the
/// byte behind it, and two bytes that no text contains stand for NULL.
///
/// The load must run on one worker: it waits for the client.
package final class ClientStreamSource: LoadSource, LoadInput, @unchecked Sendable {  // one worker reads
    /// The next bytes; nil at the end, empty when nothing has come yet.
    package typealias Pull = () throws -> [UInt8]?

    private let pull: Pull
    private let check: () throws -> Void
    private var translator: any RowTranslator
    /// Translated bytes from `start` of the whole on.
    private var window: [UInt8] = []
    private var start: Int64 = 0
    private var hasEnded = false
    static let delimiter: UInt8 = 0x1F
    static let null: [UInt8] = [0xFF, UInt8(ascii: "N")]
    private static let escape = UInt8(ascii: "\\")

    /// - Parameters:
    ///   - check: called while waiting; throws when the statement was cancelled.
    ///   - pull: called on the load's thread.
    package init(
        _ format: ClientStreamFormat, check: @escaping () throws -> Void, pull: @escaping Pull
    ) {
        self.pull = pull
        self.check = check
        // Binary rows arrive as text already.
        translator = format.kind == .csv ? CSVRowTranslator(format) : TextRowTranslator(format)
    }

    package static var loadOptions: CopyOptions {
        var options = CopyOptions()
        options.delimiter = delimiter
        options.escape = true
        options.nullAs = null
        options.roundDecimals = true
        return options
    }

    package func list() throws -> [LoadObject] { [LoadObject(name: "stdin", sizeBytes: 1, isSizeKnown: false)] }
    package func open(_ object: LoadObject) throws -> any LoadInput { self }

    /// Offsets only grow, apart from a look at the beginning.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int {
        if offset > start {
            window.removeFirst(min(Int(offset - start), window.count))
            start = offset
        }
        while window.count < buffer.count, !hasEnded {
            try check()
            if let bytes = try pull() {
                hasEnded = try translator.translate(bytes, into: &window)
            } else {
                try translator.finish(into: &window)
                hasEnded = true
            }
        }
        let count = min(buffer.count, window.count)
        window.withUnsafeBytes {
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count]))
        }
        return count
    }

    /// The rest of what the client sends, up to its end: after an end mark inside of the data.
    package func drain() throws {
        while try pull() != nil { try check() }
    }

    @inline(__always)
    static func append(_ byte: UInt8, to output: inout [UInt8]) {
        if byte == delimiter || byte == escape || byte == 10 || byte == 13 { output.append(escape) }
        output.append(byte)
    }
}

/// Turns a client's format into the one that ``ClientStreamSource`` promises, in pieces of any size.
protocol RowTranslator {
    /// True when the data has ended by a mark of its own.
    mutating func translate(_ bytes: [UInt8], into output: inout [UInt8]) throws -> Bool
    mutating func finish(into output: inout [UInt8]) throws
}
