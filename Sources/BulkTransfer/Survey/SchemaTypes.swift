import SQLTypes

/// Columns of tables for those of files that say their types; nil: texts are looked at. Texts are as wide as can be,
/// until they are measured.
private let widestText = SQLType.varchar(SQLType.maximumVarcharLength)

extension ParquetLeaf {
    var tableType: SQLType {
        switch logical {
        case .string, .list, .map, .interval: return widestText
        case .uuid: return .varchar(36)
        case .float16: return .real
        case .decimal(let precision, let scale):
            let precision = min(max(precision, 1), 38)
            return .decimal(precision: precision, scale: min(max(scale, 0), precision))
        case .date: return .date
        case .time: return .time
        case .timestamp(_, let isUTC): return isUTC ? .timestamptz : .timestamp
        case .integer(let bits, let isSigned):
            if isSigned { return bits <= 16 ? .smallint : bits <= 32 ? .integer : .bigint }
            return bits <= 8
                ? .smallint
                : bits <= 16
                    ? .integer
                    : bits <= 32
                        ? .bigint
                        : .decimal(precision: 20, scale: 0)
        case .unknown: return .varchar(64)
        case .none: return physicalType
        }
    }

    private var physicalType: SQLType {
        switch physical {
        case .boolean: .boolean
        case .int32: .integer
        case .int64: .bigint
        case .int96: .timestamp
        case .float: .real
        case .double: .double
        case .byteArray, .fixedByteArray: widestText
        }
    }
}

extension ORCFooter.Kinded {
    var tableType: SQLType {
        switch ORCType(rawValue: kind) {
        case .boolean: .boolean
        case .byte, .short: .smallint
        case .int: .integer
        case .long: .bigint
        case .float: .real
        case .double: .double
        case .date: .date
        case .timestamp: .timestamp
        case .instant: .timestamptz
        case .decimal: .decimal(precision: (1...38).contains(precision) ? precision : 38, scale: min(max(scale, 0), 38))
        case .string, .varchar, .char, .binary, .list, .map, .structure, .union, nil: widestText
        }
    }
}

extension AvroSchema {
    func tableType(_ number: Int) -> SQLType? {
        guard types.indices.contains(number) else { return widestText }
        let type = types[number]
        switch type.logical {
        case .date: return .date
        case .decimal(let scale): return .decimal(precision: 38, scale: scale)
        case .time: return .time
        case .timestamp(_, let isInstant): return isInstant ? .timestamptz : .timestamp
        case .uuid: return .varchar(36)
        case .none: break
        }
        switch type.kind {
        case .boolean: return .boolean
        case .int: return .integer
        case .long: return .bigint
        case .float: return .real
        case .double: return .double
        case .union(let branches):
            // Null and something is something; several are told by their values.
            let others = branches.filter { branch in
                if types.indices.contains(branch), case .null = types[branch].kind { false } else { true }
            }
            guard others.count == 1, others[0] != number else { return nil }
            return tableType(others[0])
        case .null, .bytes, .string, .fixed, .symbols, .array, .map, .record: return widestText
        }
    }
}
