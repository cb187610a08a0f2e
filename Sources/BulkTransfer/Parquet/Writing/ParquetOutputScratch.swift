import CSnappy
import ColumnVectors
import SQLTypes

/// Memory in which the columns of one writer make their pages, one at a time.
final class ParquetOutputScratch {
    /// Of the page that is made: levels and values.
    let body = TextBuffer(capacity: 1 << 12)
    private let page = TextBuffer(capacity: 1 << 12)

    /// The page of ``body``.
    func pack(
        _ kind: ParquetPageHeader.Kind, _ rest: (inout ThriftWriter) -> Void
    ) throws -> (bytes: UnsafeRawBufferPointer, uncompressed: Int) {
        try pack(UnsafeRawBufferPointer(body.bytes), kind, rest)
    }

    /// The body's page: header and compressed bytes, valid until the next one. `rest` writes the header's fields from 5
    /// on.
    ///
    /// - Returns: with the bytes that the page had without compression.
    func pack(
        _ body: UnsafeRawBufferPointer, _ kind: ParquetPageHeader.Kind, _ rest: (inout ThriftWriter) -> Void
    ) throws -> (bytes: UnsafeRawBufferPointer, uncompressed: Int) {
        // The header says how long what follows it is: room for it stays in front.
        let headerRoom = ParquetOutputScratch.headerRoom
        var size = snappy_max_compressed_length(body.count)
        page.removeAll()
        let start = UnsafeMutableRawPointer(page.room(headerRoom + size))
        let from = (body.baseAddress ?? UnsafeRawPointer(start)).assumingMemoryBound(to: CChar.self)
        let packed = (start + headerRoom).assumingMemoryBound(to: CChar.self)
        guard snappy_compress(from, body.count, packed, &size) == SNAPPY_OK else {
            throw SQLError(.internalError, "snappy could not compress a page")
        }
        let header = ThriftWriter.structure { header in
            header.field(1, int32: kind.rawValue)
            header.field(2, int32: body.count)
            header.field(3, int32: size)
            rest(&header)
        }
        guard header.count <= headerRoom else {
            throw SQLError(.internalError, "the header of a Parquet page has \(header.count) bytes")
        }
        let first = start + headerRoom - header.count
        header.withUnsafeBytes { bytes in
            if let from = bytes.baseAddress { first.copyMemory(from: from, byteCount: bytes.count) }
        }
        return (UnsafeRawBufferPointer(start: first, count: header.count + size), header.count + body.count)
    }

    private static let headerRoom = 128
}
