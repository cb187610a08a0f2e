import Glibc
import Platform
import SQLTypes

/// One Parquet file of a load, opened: its footer, and how its columns become the table's. Read by all workers.
final class ParquetFile: Sendable {
    /// What fills a field.
    enum Source: Sendable {
        case leaf(Int)
        /// SERIALIZETOJSON: a column of the schema, with all its leaves.
        case nested(Int)
        /// FILLRECORD: the file has no such column.
        case missing
    }
    let index: Int
    let name: String
    let input: any LoadInput
    let footer: ParquetFooter
    /// By field.
    let sources: [Source]

    init(_ object: LoadObject, index: Int, _ input: any LoadInput, fields: Int, _ options: CopyOptions) throws {
        self.index = index
        name = object.name
        self.input = input
        do {
            footer = try ParquetFile.readFooter(input, size: object.sizeBytes)
        } catch let damage as ParquetDamage {
            throw ParquetFile.invalid(object.name, damage.reason)
        }
        sources = try ParquetFile.match(footer.schema, fields, options, object.name)
        for group in footer.rowGroups {
            for chunk in group.chunks { try chunk.codec.checkSupported(object.name) }
        }
    }

    /// Of a file that nobody has matched with a table.
    static func schema(_ input: any LoadInput, _ object: LoadObject) throws -> ParquetSchema {
        do {
            return try readFooter(input, size: object.sizeBytes).schema
        } catch let damage as ParquetDamage {
            throw invalid(object.name, damage.reason)
        }
    }

    /// Magic bytes at both ends, and before the last ones the footer with its length.
    private static func readFooter(_ input: any LoadInput, size: Int64) throws -> ParquetFooter {
        guard size >= 12, let size = Int(exactly: size) else { throw ParquetDamage("the file is too short") }
        // One read is enough for most footers.
        var tailBytes = min(size, 64 << 10)
        var tail = try read(input, size - tailBytes, tailBytes)
        let magic = Array(tail[(tailBytes - 4)...])
        if magic == Array("PARE".utf8) { throw ParquetFooter.encrypted }
        guard magic == Array("PAR1".utf8) else { throw ParquetDamage("the file does not end with PAR1") }
        let length = tail.withUnsafeBytes {
            Int(UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: tailBytes - 8, as: UInt32.self)))
        }
        guard length <= ParquetLimits.footerBytes, length <= size - 12 else {
            throw ParquetDamage("the footer claims \(length) bytes")
        }
        if length + 8 > tailBytes {
            tailBytes = length + 8
            tail = try read(input, size - tailBytes, tailBytes)
        }
        return try tail.withUnsafeBytes {
            let start = tailBytes - 8 - length
            return try ParquetFooter(
                UnsafeRawBufferPointer(rebasing: $0[start..<start + length]), dataEnd: size - 8 - length)
        }
    }

    private static func read(_ input: any LoadInput, _ offset: Int, _ count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        guard try bytes.withUnsafeMutableBytes({ try input.read(into: $0, at: Int64(offset)) }) == count else {
            throw ParquetDamage("the file became shorter while it was loaded")
        }
        return bytes
    }

    /// Columns match by their places.
    private static func match(
        _ schema: ParquetSchema, _ fields: Int, _ options: CopyOptions, _ name: String
    ) throws -> [Source] {
        let columns = schema.columns
        guard columns.count == fields || (columns.count < fields && options.fillRecord) else {
            throw scanError(
                "Unmatched number of columns between table and file. Table columns: \(fields), "
                    + "Data columns: \(columns.count), File name: \(name)")
        }
        var sources: [Source] = []
        for (index, column) in columns.enumerated() {
            guard column.isNested else {
                sources.append(.leaf(column.leaves.lowerBound))
                continue
            }
            guard options.serializeToJSON else {
                throw SQLError(
                    .featureNotSupported,
                    "column \"\(column.name)\" of the Parquet file is nested, which needs SERIALIZETOJSON",
                    detail: "File: \(name)",
                    hint: "FORMAT PARQUET SERIALIZETOJSON loads it as JSON text into a VARCHAR.")
            }
            sources.append(.nested(index))
        }
        return sources + Array(repeating: Source.missing, count: fields - columns.count)
    }

    // MARK: Errors

    static func scanError(_ text: String) -> SQLError {
        SQLError(.internalError, "Spectrum Scan Error: \(text)", detail: "code: 15001")
    }

    static func invalid(_ name: String, _ reason: String, column: String? = nil) -> SQLError {
        let place = column.map { ", column '\($0)'" } ?? ""
        return SQLError(
            .dataException, "Spectrum Scan Error: File '\(name)' is not a valid Parquet file\(place): \(reason)",
            detail: "code: 15001")
    }

    static func incompatible(_ name: String, _ schema: String, _ plan: ColumnPlan) -> SQLError {
        SQLError(
            .datatypeMismatch,
            "Spectrum Scan Error: File '\(name)' has an incompatible Parquet schema for column '\(plan.name)'. "
                + "Column type: \("\(plan.type)".uppercased()), Parquet schema: \(schema)",
            detail: "code: 15001")
    }
}
