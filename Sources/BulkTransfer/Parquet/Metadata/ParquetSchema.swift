/// One column that has values of its own.
struct ParquetLeaf: Sendable {
    var name: String
    var physical: ParquetPhysical
    /// Bytes of a FIXED_LEN_BYTE_ARRAY.
    var length: Int
    var logical: ParquetLogical
    /// The largest definition and repetition levels. A flat column has at most 1 and 0.
    var definition: Int
    var repetition: Int

    /// As Parquet's tools write it, for messages: `optional int64 id`.
    var text: String {
        let way = repetition > 0 ? "repeated" : definition > 0 ? "optional" : "required"
        let size = physical == .fixedByteArray ? "(\(length))" : ""
        return "\(way) \(physical.name)\(size) \(name)" + (logical.name.map { " (\($0))" } ?? "")
    }
}

/// A column as a table sees it: a child of the file's root.
struct ParquetColumn: Sendable {
    var name: String
    /// Its leaves in the order of the file; more than one, or one below the top, when it is nested.
    var leaves: Range<Int>
    var isNested: Bool
    var root: ParquetNode
}

/// A place of the schema's tree.
struct ParquetNode: Sendable {
    enum Repetition: Int, Sendable { case required, optional, repeated }
    var name: String
    var repetition: Repetition
    var logical: ParquetLogical
    /// Levels at which a value of this node is there, and at which one more of it begins.
    var definition: Int
    var repetitionLevel: Int
    /// Index of the leaf; nil for groups.
    var leaf: Int?
    var children: [ParquetNode]
}

/// The columns of a file.
struct ParquetSchema: Sendable {
    private(set) var columns: [ParquetColumn] = []
    private(set) var leaves: [ParquetLeaf] = []

    /// - Parameter elements: the tree as the footer lists it, parents before their children.
    init(_ elements: [ParquetSchemaElement]) throws {
        guard let root = elements.first, root.physical == nil else { throw ParquetDamage("the schema has no root") }
        var next = 1
        for _ in 0..<root.children {
            let first = leaves.count
            let node = try take(elements, &next, definition: 0, repetition: 0, depth: 1)
            columns.append(
                ParquetColumn(
                    name: node.name, leaves: first..<leaves.count,
                    isNested: node.leaf == nil || node.repetition == .repeated, root: node))
        }
        guard next == elements.count else { throw ParquetDamage("the schema's tree does not hold all its elements") }
        guard !leaves.isEmpty else { throw ParquetDamage("the schema has no columns") }
    }

    private mutating func take(
        _ elements: [ParquetSchemaElement], _ next: inout Int, definition: Int, repetition: Int, depth: Int
    ) throws -> ParquetNode {
        guard next < elements.count else { throw ParquetDamage("the schema's tree is incomplete") }
        guard depth <= ParquetLimits.schemaDepth else { throw ParquetDamage("the schema is nested too deeply") }
        let element = elements[next]
        next += 1
        var node = ParquetNode(
            name: element.name, repetition: element.repetition, logical: element.logical,
            definition: definition + (element.repetition == .required ? 0 : 1),
            repetitionLevel: repetition + (element.repetition == .repeated ? 1 : 0), leaf: nil, children: [])
        if let physical = element.physical {
            guard element.children == 0 else { throw ParquetDamage("a column of the schema has a type and children") }
            if physical == .fixedByteArray && !(1...ParquetLimits.fixedLength).contains(element.length) {
                throw ParquetDamage("column \"\(element.name)\" has values of \(element.length) bytes")
            }
            node.leaf = leaves.count
            leaves.append(
                ParquetLeaf(
                    name: element.name, physical: physical, length: element.length, logical: element.logical,
                    definition: node.definition, repetition: node.repetitionLevel))
            return node
        }
        guard element.children > 0 else { throw ParquetDamage("group \"\(element.name)\" has no columns") }
        for _ in 0..<element.children {
            node.children.append(
                try take(
                    elements, &next, definition: node.definition, repetition: node.repetitionLevel, depth: depth + 1))
        }
        return node
    }
}

/// An element of the schema as the footer has it.
struct ParquetSchemaElement {
    var physical: ParquetPhysical?
    var length = 0
    var repetition = ParquetNode.Repetition.required
    var name = ""
    var children = 0
    var logical = ParquetLogical.none

    init(_ reader: inout ThriftReader) throws {
        var converted: Int?
        var scale = 0
        var precision = 0
        var logicalType = ParquetLogical.none
        var element = self
        try reader.structure { reader, field, _ in
            switch field {
            case 1:
                guard let type = ParquetPhysical(rawValue: try reader.code()) else {
                    throw ParquetDamage("a column has an unknown type")
                }
                element.physical = type
            case 2: element.length = try reader.count()
            case 3:
                guard let repetition = ParquetNode.Repetition(rawValue: try reader.code()) else {
                    throw ParquetDamage("a column has an unknown repetition")
                }
                element.repetition = repetition
            case 4: element.name = try reader.string()
            case 5: element.children = try reader.count()
            case 6: converted = try reader.code()
            case 7: scale = try reader.count()
            case 8: precision = try reader.count()
            case 10: logicalType = try ParquetLogical(&reader)
            default: return false
            }
            return true
        }
        self = element
        logical = logicalType
        if logical == .none, let converted {
            logical = ParquetLogical(converted: converted, precision: precision, scale: scale)
        }
    }
}

extension ParquetLogical {
    init(converted: Int, precision: Int, scale: Int) {
        self =
            switch converted {
            case 0, 4, 19, 20: .string
            case 1, 2: .map
            case 3: .list
            case 5: .decimal(precision: precision, scale: scale)
            case 6: .date
            case 7: .time(.millis)
            case 8: .time(.micros)
            case 9: .timestamp(.millis, isUTC: true)
            case 10: .timestamp(.micros, isUTC: true)
            case 11...14: .integer(bits: 8 << (converted - 11), isSigned: false)
            case 15...18: .integer(bits: 8 << (converted - 15), isSigned: true)
            case 21: .interval
            default: .none
            }
    }

    /// The union LogicalType.
    init(_ reader: inout ThriftReader) throws {
        var found = ParquetLogical.none
        try reader.structure { reader, field, kind in
            guard kind == .structure else { return false }
            switch field {
            case 1, 4, 12, 13: found = .string
            case 2: found = .map
            case 3: found = .list
            case 5: found = try ParquetLogical.decimal(&reader)
            case 6: found = .date
            case 7:
                found = .time(try ParquetLogical.clock(&reader).unit)
            case 8:
                let (unit, isUTC) = try ParquetLogical.clock(&reader)
                found = .timestamp(unit, isUTC: isUTC)
            case 10: found = try ParquetLogical.integer(&reader)
            case 11: found = .unknown
            case 14: found = .uuid
            case 15: found = .float16
            default: return false
            }
            return [5, 7, 8, 10].contains(field)
        }
        self = found
    }

    private static func decimal(_ reader: inout ThriftReader) throws -> ParquetLogical {
        var precision = 0
        var scale = 0
        try reader.structure { reader, field, _ in
            switch field {
            case 1: scale = try reader.count()
            case 2: precision = try reader.count()
            default: return false
            }
            return true
        }
        return .decimal(precision: precision, scale: scale)
    }

    private static func clock(_ reader: inout ThriftReader) throws -> (unit: ParquetUnit, isUTC: Bool) {
        var unit: ParquetUnit?
        var isUTC = false
        try reader.structure { reader, field, kind in
            switch (field, kind) {
            case (1, .true1): isUTC = true
            case (2, .structure):
                try reader.structure { _, field, _ in
                    unit = ParquetUnit(rawValue: field)
                    return false
                }
                return true
            default: return false
            }
            return true
        }
        guard let unit else { throw ParquetDamage("a column has times of an unknown unit") }
        return (unit, isUTC)
    }

    private static func integer(_ reader: inout ThriftReader) throws -> ParquetLogical {
        var bits = 0
        var isSigned = false
        try reader.structure { reader, field, kind in
            switch (field, kind) {
            case (1, .byte): bits = Int(try reader.byte())
            case (2, .true1): isSigned = true
            default: return false
            }
            return kind == .byte
        }
        guard [8, 16, 32, 64].contains(bits) else { throw ParquetDamage("a column has integers of \(bits) bits") }
        return .integer(bits: bits, isSigned: isSigned)
    }
}
