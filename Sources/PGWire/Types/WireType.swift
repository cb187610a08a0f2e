import SQLTypes

/// A SQL type as clients know it: OID, size and modifier.
struct WireType {
    var oid: Int32
    /// Bytes, -1 for varying.
    var size: Int16
    /// Length or precision and scale; -1 without.
    var modifier: Int32

    init(_ type: SQLType) {
        modifier = -1
        switch type {
        case .boolean: (oid, size) = (16, 1)
        case .smallint: (oid, size) = (21, 2)
        case .integer: (oid, size) = (23, 4)
        case .bigint: (oid, size) = (20, 8)
        case .decimal(let precision, let scale):
            (oid, size) = (1700, -1)
            modifier = Int32(precision << 16 | scale) + 4
        case .real: (oid, size) = (700, 4)
        case .double: (oid, size) = (701, 8)
        case .char(let length):
            (oid, size) = (1042, -1)
            modifier = Int32(clamping: length + 4)
        case .varchar(let length):
            (oid, size) = (1043, -1)
            modifier = Int32(clamping: length + 4)
        case .date: (oid, size) = (1082, 4)
        case .time: (oid, size) = (1083, 8)
        case .timetz: (oid, size) = (1266, 12)
        case .timestamp: (oid, size) = (1114, 8)
        case .timestamptz: (oid, size) = (1184, 8)
        case .interval: (oid, size) = (1186, 16)
        case .unknown: (oid, size) = (705, -2)
        }
    }

    /// Numbers without a declared shape: what a parameter of type 1700 is until its value comes.
    static let anyDecimal = SQLType.decimal(precision: 38, scale: 10)
    private static let anyString = SQLType.varchar(SQLType.maximumVarcharLength)

    /// The type of a result's column, as far as a client needs it to show values.
    static func resultType(oid: Int32, modifier: Int32) -> SQLType {
        switch oid {
        case 1700 where modifier >= 4:
            let packed = Int(modifier) - 4
            return .decimal(precision: packed >> 16 & 0xFFFF, scale: packed & 0xFFFF)
        case 1042 where modifier > 4: return .char(Int(modifier) - 4)
        case 1043 where modifier > 4: return .varchar(Int(modifier) - 4)
        default:
            let type = try? parameterType(oid: oid)
            return type == nil || type == .unknown ? anyString : type ?? anyString
        }
    }

    /// The type of a parameter that a client declares; unknown where the context has to decide.
    static func parameterType(oid: Int32) throws -> SQLType {
        switch oid {
        case 16: return .boolean
        case 21: return .smallint
        case 23, 26: return .integer
        case 20: return .bigint
        case 700: return .real
        case 701: return .double
        case 1700: return anyDecimal
        case 18, 19, 25, 114, 1042, 1043, 2950, 3802: return anyString
        case 1082: return .date
        case 1083: return .time
        case 1266: return .timetz
        case 1114: return .timestamp
        case 1184: return .timestamptz
        case 1186: return .interval
        case 17:
            throw SQLError(.featureNotSupported, "parameters of type bytea are not supported")
        default: return .unknown
        }
    }
}
