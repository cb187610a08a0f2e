import SQLTypes
import Warehouse

/// `T`: names and types of the columns that follow, and where they come from.
struct RowDescription: BackendMessage {
    var columns: [ResultColumn]
    var formats: FormatCodes
    var version = ProtocolVersion.base

    func encode(into buffer: TextBuffer) {
        buffer.message(UInt8(ascii: "T")) {
            buffer.append(int16: Int16(truncatingIfNeeded: columns.count))
            for (index, column) in columns.enumerated() {
                let type = WireType(column)
                let origin = column.details.origin
                buffer.append(cString: column.name)
                buffer.append(int32: Int32(truncatingIfNeeded: origin?.relationID ?? 0))
                buffer.append(int16: Int16(clamping: origin?.number ?? 0))
                buffer.append(int32: type.oid)
                buffer.append(int16: type.size)
                buffer.append(int32: type.modifier)
                buffer.append(int16: formats.isBinary(index) ? 1 : 0)
                if version >= .extendedMetadata { appendMetadata(origin, to: buffer) }
            }
        }
    }

    private static let isNullable: Int16 = 1, isIdentity: Int16 = 1 << 4, isReadOnly: Int16 = 1 << 8
    private static let isSearchable: Int16 = 1 << 12

    private func appendMetadata(_ origin: ColumnOrigin?, to buffer: TextBuffer) {
        buffer.append(cString: origin?.schema ?? "")
        buffer.append(cString: origin?.relation ?? "")
        buffer.append(cString: origin?.column ?? "")
        buffer.append(cString: origin?.database ?? "")
        var flags = RowDescription.isSearchable
        if origin?.isNullable ?? true { flags |= RowDescription.isNullable }
        if origin?.isIdentity == true { flags |= RowDescription.isIdentity }
        if origin == nil { flags |= RowDescription.isReadOnly }
        buffer.append(int16: flags)
    }
}

/// `t`: types of a statement's parameters.
struct ParameterDescription: BackendMessage {
    var types: [SQLType]
    /// By zero-based number: `pg_type`'s oids.
    var arrays: [Int: Int32] = [:]
    func encode(into buffer: TextBuffer) {
        buffer.message(UInt8(ascii: "t")) {
            buffer.append(int16: Int16(truncatingIfNeeded: types.count))
            for (index, type) in types.enumerated() { buffer.append(int32: arrays[index] ?? WireType(type).oid) }
        }
    }
}

/// `C`: the end of one statement.
struct CommandComplete: BackendMessage {
    var tag: String
    func encode(into buffer: TextBuffer) { buffer.message(UInt8(ascii: "C")) { buffer.append(cString: tag) } }
}
