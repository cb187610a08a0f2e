import SQLTypes

/// One column of one row group.
struct ParquetChunk: Sendable {
    var physical = ParquetPhysical.boolean
    var codec = ParquetCodec.uncompressed
    /// Values and NULLs.
    var values = 0
    var start = 0
    /// Bytes in the file.
    var length = 0
}

struct ParquetRowGroup: Sendable {
    var rows = 0
    /// By leaf.
    var chunks: [ParquetChunk] = []
}

/// What a file says at its end about itself.
struct ParquetFooter: Sendable {
    var schema: ParquetSchema
    var rowGroups: [ParquetRowGroup] = []

    /// Parses the footer's Thrift structure.
    ///
    /// - Parameter dataEnd: where the footer begins in the file; no column may reach beyond.
    init(_ bytes: UnsafeRawBufferPointer, dataEnd: Int) throws {
        var elements: [ParquetSchemaElement] = []
        var groups: [ParquetRowGroup] = []
        var chunks = 0
        var reader = ThriftReader(bytes)
        try reader.structure { reader, field, kind in
            switch (field, kind) {
            case (2, .list):
                try reader.structures(atMost: ParquetLimits.schemaElements) {
                    elements.append(try ParquetSchemaElement(&$0))
                }
            case (4, .list):
                try reader.structures(atMost: ParquetLimits.rowGroups) { reader in
                    let group = try ParquetRowGroup(&reader, room: ParquetLimits.columnChunks - chunks)
                    chunks += group.chunks.count
                    groups.append(group)
                }
            case (8, .structure): throw ParquetFooter.encrypted
            default: return false
            }
            return true
        }
        schema = try ParquetSchema(elements)
        rowGroups = groups
        for group in groups { try check(group, dataEnd) }
    }

    static let encrypted = SQLError(.featureNotSupported, "encrypted Parquet files are not supported")

    private func check(_ group: ParquetRowGroup, _ dataEnd: Int) throws {
        guard group.chunks.count == schema.leaves.count else {
            throw ParquetDamage("a row group has \(group.chunks.count) columns, the schema \(schema.leaves.count)")
        }
        for (chunk, leaf) in zip(group.chunks, schema.leaves) {
            guard chunk.physical == leaf.physical else {
                throw ParquetDamage("column \"\(leaf.name)\" has another type in a row group")
            }
            guard leaf.repetition > 0 || chunk.values == group.rows else {
                throw ParquetDamage("column \"\(leaf.name)\" has \(chunk.values) values in \(group.rows) rows")
            }
            let (end, overflow) = chunk.start.addingReportingOverflow(chunk.length)
            guard !overflow, end <= dataEnd else {
                throw ParquetDamage("column \"\(leaf.name)\" reaches beyond the end of the data")
            }
        }
    }
}

extension ParquetRowGroup {
    init(_ reader: inout ThriftReader, room: Int) throws {
        var group = self
        try reader.structure { reader, field, kind in
            switch (field, kind) {
            case (1, .list): try reader.structures(atMost: room) { group.chunks.append(try ParquetChunk(&$0)) }
            case (3, _): group.rows = try reader.size()
            default: return false
            }
            return true
        }
        self = group
    }
}

extension ParquetChunk {
    /// A ColumnChunk with its ColumnMetaData.
    init(_ reader: inout ThriftReader) throws {
        var chunk: ParquetChunk?
        try reader.structure { reader, field, kind in
            switch (field, kind) {
            case (1, .binary): throw SQLError(.featureNotSupported, "Parquet data in other files is not supported")
            case (3, .structure): chunk = try ParquetChunk(metadata: &reader)
            case (8, .structure): throw ParquetFooter.encrypted
            default: return false
            }
            return true
        }
        guard let chunk else { throw ParquetDamage("a column has no metadata") }
        self = chunk
    }

    private init(metadata reader: inout ThriftReader) throws {
        var chunk = self
        var type: Int?
        var codec: Int?
        var dictionary: Int?
        var data: Int?
        try reader.structure { reader, field, _ in
            switch field {
            case 1: type = try reader.code()
            case 4: codec = try reader.code()
            case 5: chunk.values = try reader.size()
            case 7: chunk.length = try reader.size()
            case 9: data = try reader.size()
            case 11: dictionary = try reader.size()
            default: return false
            }
            return true
        }
        guard let type = type.flatMap(ParquetPhysical.init(rawValue:)) else {
            throw ParquetDamage("a column has no known type")
        }
        guard let codec = codec.flatMap(ParquetCodec.init(rawValue:)) else {
            throw ParquetDamage("a column has an unknown compression")
        }
        guard let data else { throw ParquetDamage("a column has no data") }
        chunk.physical = type
        chunk.codec = codec
        // Some writers say 0 for no dictionary.
        chunk.start = dictionary.map { $0 > 0 && $0 < data ? $0 : data } ?? data
        self = chunk
    }
}
