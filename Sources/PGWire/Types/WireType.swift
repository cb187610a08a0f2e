import SQLTypes
import Warehouse

/// A SQL type as clients know it: OID, size and modifier.
struct WireType {
    var oid: Int32
    /// Bytes, -1 for varying.
    var size: Int16
    /// Length or precision and scale; -1 without.
    var modifier: Int32

    init(_ type: SQLType) {
        oid = type.descriptor.oid
        size = type.descriptor.wireSize
        modifier = Int32(clamping: type.catalogModifier)
    }

    /// Of a result's column; an array's text goes out as the array.
    init(_ column: ResultColumn) {
        self.init(column.type)
        if column.details.arrayID != 0 { (oid, size, modifier) = (column.details.arrayID, -1, -1) }
    }

    /// Numbers without a declared shape: what a parameter of type 1700 is until its value comes.
    static let anyDecimal = SQLType.decimal(precision: 38, scale: 10)
    private static let anyString = SQLType.varchar(SQLType.maximumVarcharLength)
    private static let anyBytes = SQLType.varbyte(SQLType.maximumVarbyteLength)

    /// The type of a result's column, as far as a client needs it to show values.
    static func resultType(oid: Int32, modifier: Int32) -> SQLType {
        if modifier > 4, let descriptor = TypeDescriptor.withOID(oid) {
            return descriptor.type(catalogModifier: Int(modifier))
        }
        let type = parameterType(oid: oid)
        return type == .unknown ? anyString : type
    }

    /// The type of a parameter that a client declares; unknown where the context has to decide.
    static func parameterType(oid: Int32) -> SQLType {
        switch oid {
        // oid, "char", name, text, json, uuid, jsonb and bytea have no type of their own.
        case 26: return .integer
        case 18, 19, 25, 114, 2950, 3802: return anyString
        case 17: return anyBytes
        default: if ArrayTypeID.element(of: oid) != nil { return anyString }
        }
        guard let descriptor = TypeDescriptor.withOID(oid) else { return .unknown }
        switch descriptor.family {
        case .decimal: return anyDecimal
        case .char, .varchar: return anyString
        case .bytes: return anyBytes
        default: return descriptor.standard
        }
    }
}
