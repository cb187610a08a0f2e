import SQLTypes

/// The schema of an Avro file: types by number, because they may refer to each other in circles. Number 0 is unused.
struct AvroSchema: Sendable {
    indirect enum Kind: Sendable {
        case null, boolean, int, long, float, double, bytes, string
        case fixed(Int)
        case symbols([[UInt8]])
        case array(Int)
        case map(Int)
        case union([Int])
        case record([(name: [UInt8], type: Int)])
    }
    enum Logical: Sendable, Hashable {
        case none, date
        case decimal(scale: Int)
        /// Parts of a second in the number.
        case time(perSecond: Int64)
        case timestamp(perSecond: Int64, isInstant: Bool)
        case uuid
    }
    struct Kinded: Sendable {
        var kind: Kind
        var logical: Logical
    }
    private(set) var types: [Kinded] = []
    private(set) var root = 0
    private var names: [String: Int] = [:]
    private static let mostTypes = 100_000

    init(parsing bytes: [UInt8], name: String) throws {
        let document = try JSONDocument.parse(bytes, "the schema of file \"\(name)\"")
        guard let root = add(document, space: "") else {
            throw SQLError(.dataException, "the schema of file \"\(name)\" is not a valid Avro schema")
        }
        self.root = root
    }

    private mutating func append(_ kind: Kind, _ logical: Logical = .none) -> Int? {
        if types.count >= AvroSchema.mostTypes { return nil }
        types.append(Kinded(kind: kind, logical: logical))
        return types.count - 1
    }

    private mutating func add(_ value: JSONValue, space: String) -> Int? {
        switch value {
        case .string(let name): return named(name, .none, space)
        case .array(let branches):
            var numbers: [Int] = []
            for branch in branches {
                guard let number = add(branch, space: space) else { return nil }
                numbers.append(number)
            }
            return numbers.isEmpty ? nil : append(.union(numbers))
        case .object:
            if let type = value["type"], case .string(let name) = type { return defined(name, value, space) }
            return value["type"].flatMap { add($0, space: space) }
        case .null, .boolean, .number: return nil
        }
    }

    private mutating func named(_ name: String, _ logical: Logical, _ space: String) -> Int? {
        switch name {
        case "null": return append(.null)
        case "boolean": return append(.boolean)
        case "int": return append(.int, logical)
        case "long": return append(.long, logical)
        case "float": return append(.float)
        case "double": return append(.double)
        case "bytes": return append(.bytes, logical)
        case "string": return append(.string, logical)
        default: return names[AvroSchema.full(name, space)] ?? names[name]
        }
    }

    private static func full(_ name: String, _ space: String) -> String {
        name.contains(".") || space.isEmpty ? name : space + "." + name
    }

    private mutating func defined(_ type: String, _ value: JSONValue, _ outer: String) -> Int? {
        switch type {
        case "array": return value["items"].flatMap { add($0, space: outer) }.flatMap { append(.array($0)) }
        case "map": return value["values"].flatMap { add($0, space: outer) }.flatMap { append(.map($0)) }
        case "record", "error", "fixed", "enum": break
        default: return named(type, AvroSchema.logical(value), outer)
        }
        guard let name = value["name"]?.text else { return nil }
        let space = value["namespace"]?.text ?? AvroSchema.space(of: name) ?? outer
        // The number first: a record's fields may be of its own type.
        guard let number = append(.null) else { return nil }
        names[AvroSchema.full(name, space)] = number
        guard let kind = complex(type, value, space) else { return nil }
        types[number] = Kinded(kind: kind, logical: AvroSchema.logical(value))
        return number
    }

    private static func space(of name: String) -> String? {
        name.lastIndex(of: ".").map { String(name[..<$0]) }
    }

    private mutating func complex(_ type: String, _ value: JSONValue, _ space: String) -> Kind? {
        if type == "fixed" {
            guard let size = value["size"]?.integer, (0...1 << 24).contains(size) else { return nil }
            return .fixed(Int(size))
        }
        if type == "enum" {
            guard case .array(let symbols)? = value["symbols"] else { return nil }
            let texts = symbols.compactMap { $0.text.map { Array($0.utf8) } }
            return texts.count == symbols.count ? .symbols(texts) : nil
        }
        guard case .array(let fields)? = value["fields"] else { return nil }
        var members: [(name: [UInt8], type: Int)] = []
        for field in fields {
            guard let name = field["name"]?.text, let type = field["type"], let number = add(type, space: space)
            else { return nil }
            members.append((Array(name.utf8), number))
        }
        return .record(members)
    }

    private static func logical(_ value: JSONValue) -> Logical {
        switch value["logicalType"]?.text {
        case "date": return .date
        case "decimal":
            let scale = value["scale"]?.integer ?? 0
            return (0...38).contains(scale) ? .decimal(scale: Int(scale)) : .none
        case "time-millis": return .time(perSecond: 1000)
        case "time-micros": return .time(perSecond: 1_000_000)
        case "timestamp-millis": return .timestamp(perSecond: 1000, isInstant: true)
        case "timestamp-micros": return .timestamp(perSecond: 1_000_000, isInstant: true)
        case "timestamp-nanos": return .timestamp(perSecond: 1_000_000_000, isInstant: true)
        case "local-timestamp-millis": return .timestamp(perSecond: 1000, isInstant: false)
        case "local-timestamp-micros": return .timestamp(perSecond: 1_000_000, isInstant: false)
        case "local-timestamp-nanos": return .timestamp(perSecond: 1_000_000_000, isInstant: false)
        case "uuid": return .uuid
        default: return .none
        }
    }
}
