import ColumnVectors
import SQLTypes

/// SERIALIZETOJSON: puts the leaves of a nested column together again, a JSON text for each row. Lists become arrays,
/// maps and structures objects. Confined to its worker.
final class ParquetNestedReader: ParquetFieldReader {
    private let root: ParquetNode
    private let leaves: [ParquetLeafCursor]
    private let firstLeaf: Int
    private let limit: Int
    private let plan: ColumnPlan
    private let zone: ZoneRules
    private let text = TextBuffer()
    private var failure: ParquetBadValue?
    /// No value of a table is longer; what is built for one row stays below.
    private static let longest = 16 << 20

    init(
        _ root: ParquetNode, _ leaves: [ParquetLeafCursor], firstLeaf: Int, limit: Int, _ plan: ColumnPlan,
        zone: ZoneRules
    ) {
        self.root = root
        self.leaves = leaves
        self.firstLeaf = firstLeaf
        self.limit = limit
        self.plan = plan
        self.zone = zone
    }

    /// The type in which a leaf's values are read.
    static func type(of leaf: ParquetLeaf, _ file: String) throws -> SQLType {
        switch (leaf.physical, leaf.logical) {
        case (.boolean, _): return .boolean
        case (_, .decimal(_, let scale)): return .decimal(precision: 38, scale: min(scale, 38))
        case (.int32, .date): return .date
        case (_, .time): return .time
        case (_, .timestamp(_, let isUTC)): return isUTC ? .timestamptz : .timestamp
        case (.int96, _): return .timestamp
        case (.int64, .integer(_, isSigned: false)): return .decimal(precision: 20, scale: 0)
        case (.int32, _), (.int64, _): return .bigint
        case (.float, _), (.fixedByteArray, .float16): return .real
        case (.double, _): return .double
        case (.byteArray, _), (.fixedByteArray, _): return .varchar(longest)
        }
    }

    func releaseStrings() {}

    func read(_ rows: Int, into buffer: ColumnBuffer, _ bad: inout [ParquetBadValue]) throws {
        for row in 0..<rows {
            text.removeAll()
            failure = nil
            guard try peek(root).repetition == 0 else { throw ParquetDamage("a row begins in the middle of a list") }
            let isNull = try root.repetition == .optional && peek(root).definition < root.definition
            try write(root)
            if isNull {
                try buffer.appendNull()
                if plan.notNull { failure = ParquetBadValue(index: row, failure: .missingData, text: "") }
            } else if text.count > limit {
                try buffer.append(string: UnsafeBufferPointer(start: nil, count: 0))
                let reason =
                    "The length of the data column \(plan.name) is longer than the length defined in the table. "
                    + "Table: \(limit), Data: \(text.count)"
                let shown = String(decoding: text.bytes.prefix(LoadError.keptBytes), as: UTF8.self)
                failure =
                    failure
                    ?? ParquetBadValue(
                        index: row, failure: FieldFailure(code: 1204, reason: reason), text: shown)
            } else {
                try buffer.append(string: text.bytes)
            }
            if var failure {
                failure.index = row
                bad.append(failure)
            }
        }
    }

    // MARK: The tree

    private func cursor(_ leaf: Int) -> ParquetLeafCursor { leaves[leaf - firstLeaf] }

    private func firstLeaf(_ node: ParquetNode) throws -> Int {
        var node = node
        while node.leaf == nil {
            guard let child = node.children.first else { throw ParquetDamage("a group without columns") }
            node = child
        }
        return node.leaf ?? firstLeaf
    }

    private func peek(_ node: ParquetNode) throws -> (repetition: Int, definition: Int) {
        guard let levels = try cursor(try firstLeaf(node)).peek() else { throw ParquetDamage.truncated }
        return levels
    }

    private func write(_ node: ParquetNode) throws {
        if text.count > ParquetNestedReader.longest {
            throw SQLError(.limitExceeded, "a value of column \"\(plan.name)\" takes more than 16 MB as JSON")
        }
        switch node.repetition {
        case .required: try writeContent(node)
        case .optional:
            if try peek(node).definition < node.definition {
                text.append("null")
                try pass(node)
            } else {
                try writeContent(node)
            }
        case .repeated: try writeElements(node, node)
        }
    }

    /// One entry of each leaf below, without a value.
    private func pass(_ node: ParquetNode) throws {
        if let leaf = node.leaf {
            guard let levels = try cursor(leaf).peek(), levels.definition < node.definition else {
                throw ParquetDamage("the parts of a structure do not fit together")
            }
            cursor(leaf).skip(hasValue: false)
            return
        }
        for child in node.children { try pass(child) }
    }

    /// - Parameter element: the repeated node itself, or the one child that makes its elements.
    private func writeElements(_ repeated: ParquetNode, _ element: ParquetNode) throws {
        text.append(UInt8(ascii: "["))
        try eachElement(repeated) {
            if element.repetition == .repeated { try writeContent(element) } else { try write(element) }
        }
        text.append(UInt8(ascii: "]"))
    }

    private func eachElement(_ repeated: ParquetNode, _ body: () throws -> Void) throws {
        if try peek(repeated).definition < repeated.definition { return try pass(repeated) }
        let leaf = cursor(try firstLeaf(repeated))
        var isFirst = true
        while true {
            if !isFirst { text.append(UInt8(ascii: ",")) }
            isFirst = false
            try body()
            guard let next = try leaf.peek(), next.repetition >= repeated.repetitionLevel else { return }
            if next.repetition > repeated.repetitionLevel { throw ParquetDamage("an element begins within another") }
        }
    }

    private func writeContent(_ node: ParquetNode) throws {
        if node.leaf != nil { return try writeValue(node) }
        if let child = node.children.first, node.children.count == 1, child.repetition == .repeated {
            if node.logical == .map && child.children.count == 2 { return try writeMap(child) }
            if node.logical == .list { return try writeElements(child, element(of: child, in: node)) }
        }
        text.append(UInt8(ascii: "{"))
        for (index, child) in node.children.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            appendQuoted(Array(child.name.utf8))
            text.append(UInt8(ascii: ":"))
            try write(child)
        }
        text.append(UInt8(ascii: "}"))
    }

    /// Older lists have their elements in the repeated node itself.
    private func element(of repeated: ParquetNode, in list: ParquetNode) -> ParquetNode {
        let isOld =
            repeated.children.count != 1 || repeated.name == "array" || repeated.name == list.name + "_tuple"
        return isOld ? repeated : repeated.children[0]
    }

    private func writeMap(_ entries: ParquetNode) throws {
        text.append(UInt8(ascii: "{"))
        try eachElement(entries) {
            let start = text.count
            try write(entries.children[0])
            // Keys of objects are strings.
            if text.count == start || text.base[start] != UInt8(ascii: "\"") {
                let key = Array(text.bytes[start...])
                text.truncate(to: start)
                appendQuoted(key)
            }
            text.append(UInt8(ascii: ":"))
            try write(entries.children[1])
        }
        text.append(UInt8(ascii: "}"))
    }

    private func writeValue(_ node: ParquetNode) throws {
        guard let leaf = node.leaf else { return }
        guard try peek(node).definition == node.definition else {
            throw ParquetDamage("the parts of a structure do not fit together")
        }
        let (value, bad) = try cursor(leaf).take()
        if let bad, failure == nil { failure = bad }
        appendValue(value, cursor(leaf).type)
    }

    // MARK: JSON

    private func appendValue(_ value: Datum, _ type: SQLType) {
        switch value {
        case .null: text.append("null")
        case .integer(let number) where type == .boolean: text.append(number == 0 ? "false" : "true")
        case .integer where type.isNumeric: value.append(type: type, to: text)
        case .double(let number) where number.isFinite: value.append(type: type, to: text, extraDigits: 2)
        case .string(let bytes): appendQuoted(bytes)
        case .integer, .double, .interval:
            let shown = TextBuffer()
            value.append(type: type, to: shown, zone: zone)
            appendQuoted(shown.array)
        }
    }

    private func appendQuoted(_ bytes: [UInt8]) {
        let digits: StaticString = "0123456789abcdef"
        text.append(UInt8(ascii: "\""))
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "\""): text.append("\\\"")
            case UInt8(ascii: "\\"): text.append("\\\\")
            case 8: text.append("\\b")
            case 9: text.append("\\t")
            case 10: text.append("\\n")
            case 12: text.append("\\f")
            case 13: text.append("\\r")
            case ..<32:
                text.append("\\u00")
                text.append(digits.utf8Start[Int(byte >> 4)])
                text.append(digits.utf8Start[Int(byte & 15)])
            default: text.append(byte)
            }
        }
        text.append(UInt8(ascii: "\""))
    }
}
