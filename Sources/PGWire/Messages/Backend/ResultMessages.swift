import SQLTypes
import Warehouse

/// `T`: names and types of the columns that follow.
struct RowDescription: BackendMessage {
    var columns: [ResultColumn]
    var formats: FormatCodes

    func encode(into buffer: TextBuffer) {
        buffer.message(UInt8(ascii: "T")) {
            buffer.append(int16: Int16(truncatingIfNeeded: columns.count))
            for (index, column) in columns.enumerated() {
                let type = WireType(column.type)
                buffer.append(cString: column.name)
                buffer.append(int32: 0)
                buffer.append(int16: 0)
                buffer.append(int32: type.oid)
                buffer.append(int16: type.size)
                buffer.append(int32: type.modifier)
                buffer.append(int16: formats.isBinary(index) ? 1 : 0)
            }
        }
    }
}

/// `t`: types of a statement's parameters.
struct ParameterDescription: BackendMessage {
    var types: [SQLType]
    func encode(into buffer: TextBuffer) {
        buffer.message(UInt8(ascii: "t")) {
            buffer.append(int16: Int16(truncatingIfNeeded: types.count))
            for type in types { buffer.append(int32: WireType(type).oid) }
        }
    }
}

/// `C`: the end of one statement.
struct CommandComplete: BackendMessage {
    var tag: String
    func encode(into buffer: TextBuffer) { buffer.message(UInt8(ascii: "C")) { buffer.append(cString: tag) } }
}
