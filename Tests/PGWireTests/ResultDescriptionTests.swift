import ColumnVectors
import SQLTypes
import Testing
import Warehouse

@testable import PGWire

/// What clients are told of results, byte by byte: PostgreSQL's RowDescription and Redshift's longer ones, arrays and
/// Redshift's NUMERIC.
struct ResultDescriptionTests {
    private static func column(_ name: String, _ type: SQLType, array: Int32 = 0) -> ResultColumn {
        var column = ResultColumn(name: name, type: type)
        column.details.arrayID = array
        return column
    }

    private static func bytes(_ message: some BackendMessage) -> [UInt8] {
        let buffer = TextBuffer()
        message.encode(into: buffer)
        return Array(buffer.array.dropFirst(5))
    }

    @Test func tellsWhereColumnsComeFrom() {
        var column = Self.column("n", .decimal(precision: 10, scale: 2))
        column.details.origin = ColumnOrigin(
            relationID: 0x0102_0304, number: 3, database: "d", schema: "s", relation: "t", column: "c",
            isNullable: false, isIdentity: true)
        let plain: [UInt8] =
            [0, 1] + Array("n\0".utf8) + [1, 2, 3, 4, 0, 3, 0, 0, 6, 164, 0xFF, 0xFF, 0, 10, 0, 6, 0, 0]
        #expect(Self.bytes(RowDescription(columns: [column], formats: .text)) == plain)
        let extended = Self.bytes(RowDescription(columns: [column], formats: .text, version: .extendedMetadata))
        // Searchable and identity: bits 12 and 4.
        #expect(extended == plain + Array("s\0t\0c\0d\0".utf8) + [0x10, 0x10])
    }

    @Test func computedColumnsComeFromNowhere() {
        let column = Self.column("x", .integer)
        let extended = Self.bytes(RowDescription(columns: [column], formats: .text, version: .binary))
        let head: [UInt8] = [0, 1] + Array("x\0".utf8) + [0, 0, 0, 0, 0, 0, 0, 0, 0, 23, 0, 4, 0xFF, 0xFF, 0xFF, 0xFF]
        // Searchable, read-only and nullable: bits 12, 8 and 0.
        #expect(extended == head + [0, 0] + [0, 0, 0, 0] + [0x11, 0x01])
    }

    @Test func arraysHaveTypesOfTheirOwn() {
        let type = WireType(Self.column("conkey", .varchar(65_535), array: 1005))
        #expect(type.oid == 1005 && type.size == -1 && type.modifier == -1)
    }

    @Test func negotiatesVersions() {
        #expect(ProtocolVersion.negotiated(nil) == nil)
        #expect(ProtocolVersion.negotiated("0") == .base)
        #expect(ProtocolVersion.negotiated("1") == .extendedMetadata)
        #expect(ProtocolVersion.negotiated("2") == .binary)
        #expect(ProtocolVersion.negotiated("99") == .binary)
        #expect(ProtocolVersion.negotiated("-1") == nil)
        #expect(ProtocolVersion.negotiated("x") == nil)
    }

    private static func array(_ text: String, _ type: Int32) -> [UInt8] {
        let buffer = TextBuffer()
        Array(text.utf8).withUnsafeBufferPointer { ArrayBinary.append($0, array: type, to: buffer) }
        return buffer.array
    }

    @Test func writesArrays() {
        #expect(
            Self.array("{1,NULL,-2}", 1005)
                == [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 21, 0, 0, 0, 3, 0, 0, 0, 1]
                + [0, 0, 0, 2, 0, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 2, 0xFF, 0xFE])
        // Vectors begin at 0.
        #expect(
            Self.array("1 2", 22)
                == [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 21, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 0, 0, 0, 2, 0, 2])
        #expect(Self.array("{}", 1009) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 25])
        #expect(Self.array(#"{"a,b"}"#, 1009).suffix(7) == [0, 0, 0, 3] + Array("a,b".utf8))
    }

    @Test func readsArrays() throws {
        let context = DatetimeContext()
        let bytes: [UInt8] =
            [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 20, 0, 0, 0, 2, 0, 0, 0, 1]
            + [0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 1, 0, 0xFF, 0xFF, 0xFF, 0xFF]
        #expect(try ArrayBinary.text(bytes, context: context) == Array("{256,NULL}".utf8))
        #expect(try ArrayBinary.text([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 25], context: context) == Array("{}".utf8))
        for length in 0..<bytes.count {
            #expect(throws: SQLError.self) { try ArrayBinary.text(Array(bytes[..<length]), context: context) }
        }
        var negative = bytes
        negative[12] = 0xFF
        #expect(throws: SQLError.self) { try ArrayBinary.text(negative, context: context) }
        var deep = bytes
        deep[3] = 2
        #expect(throws: SQLError.self) { try ArrayBinary.text(deep, context: context) }
    }

    @Test func textsOfArraysComeBack() {
        for members in [[], ["a"], ["", "NULL", "a b", "\"\\{},"]] as [[String]] {
            let bytes = members.map { Optional(Array($0.utf8)) } + [nil]
            #expect(ArrayText.members(ArrayText.text(of: bytes)) == bytes)
        }
    }

    private static func numeric(_ value: Int128, _ precision: Int) throws -> [UInt8] {
        let type = SQLType.decimal(precision: precision, scale: 2)
        let batch = ColumnBatch(types: [type])
        try batch.append([.integer(value)])
        let encoder = ColumnEncoder(batch.columns[0], type: type, isBinary: true, version: .binary)
        let buffer = TextBuffer()
        _ = withUnsafePointer(to: encoder) { pointer in
            RowEncoding.encode(
                UnsafeBufferPointer(start: pointer, count: 1), rows: 0..<1, limit: 1_000, style: TextStyle(),
                into: buffer)
        }
        return Array(buffer.array.dropFirst(7))
    }

    @Test func writesNumericsAsIntegers() throws {
        #expect(try Self.numeric(-1, 18) == [0, 0, 0, 8] + [UInt8](repeating: 0xFF, count: 8))
        #expect(try Self.numeric(258, 18) == [0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 1, 2])
        #expect(
            try Self.numeric(1 << 64, 38) == [0, 0, 0, 16] + [0, 0, 0, 0, 0, 0, 0, 1] + [0, 0, 0, 0, 0, 0, 0, 0])
    }
}
