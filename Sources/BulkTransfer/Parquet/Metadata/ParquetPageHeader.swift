/// What stands before each page of a column chunk.
struct ParquetPageHeader {
    enum Kind: Int { case data, index, dictionary, dataV2 }
    var kind: Kind?
    var uncompressedBytes = 0
    var compressedBytes = 0
    var values = 0
    var encoding: ParquetEncoding?
    var definitionEncoding: ParquetEncoding? = .rle
    var repetitionEncoding: ParquetEncoding? = .rle
    /// Of pages v2.
    var definitionBytes = 0
    var repetitionBytes = 0
    var isCompressed = true

    init(_ reader: inout ThriftReader) throws {
        var header = self
        try reader.structure { reader, field, kind in
            switch (field, kind) {
            case (1, _): header.kind = Kind(rawValue: try reader.code())
            case (2, _): header.uncompressedBytes = try reader.count()
            case (3, _): header.compressedBytes = try reader.count()
            case (5, .structure): try header.readData(&reader)
            case (7, .structure): try header.readDictionary(&reader)
            case (8, .structure): try header.readDataV2(&reader)
            default: return false
            }
            return true
        }
        self = header
    }

    private mutating func readData(_ reader: inout ThriftReader) throws {
        var header = self
        try reader.structure { reader, field, _ in
            switch field {
            case 1: header.values = try reader.count()
            case 2: header.encoding = ParquetEncoding(rawValue: try reader.code())
            case 3: header.definitionEncoding = ParquetEncoding(rawValue: try reader.code())
            case 4: header.repetitionEncoding = ParquetEncoding(rawValue: try reader.code())
            default: return false
            }
            return true
        }
        self = header
    }

    private mutating func readDictionary(_ reader: inout ThriftReader) throws {
        var header = self
        try reader.structure { reader, field, _ in
            switch field {
            case 1: header.values = try reader.count()
            case 2: header.encoding = ParquetEncoding(rawValue: try reader.code())
            default: return false
            }
            return true
        }
        self = header
    }

    private mutating func readDataV2(_ reader: inout ThriftReader) throws {
        var header = self
        try reader.structure { reader, field, kind in
            switch (field, kind) {
            case (1, _): header.values = try reader.count()
            case (4, _): header.encoding = ParquetEncoding(rawValue: try reader.code())
            case (5, _): header.definitionBytes = try reader.count()
            case (6, _): header.repetitionBytes = try reader.count()
            case (7, .false2): header.isCompressed = false
            case (7, .true1): header.isCompressed = true
            default: return false
            }
            return true
        }
        self = header
    }
}
