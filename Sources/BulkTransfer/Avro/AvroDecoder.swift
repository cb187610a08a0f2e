import SQLTypes

/// What of a record is wanted: follows the paths of the columns through the schema.
final class AvroWanted {
    /// Fields that take the value itself.
    var fields: [Int] = []
    var members: [(name: [UInt8], wanted: AvroWanted)] = []
    var elements: [(index: Int, wanted: AvroWanted)] = []

    init() {}
    init(_ paths: [JSONPath]) {
        for (field, path) in paths.enumerated() {
            var place = self
            for step in path.steps { place = place.child(step) }
            place.fields.append(field)
        }
    }

    private func child(_ step: JSONPath.Step) -> AvroWanted {
        switch step {
        case .member(let name):
            if let found = members.first(where: { $0.name == name }) { return found.wanted }
            members.append((name, AvroWanted()))
            return members[members.count - 1].wanted
        case .element(let index):
            if let found = elements.first(where: { $0.index == index }) { return found.wanted }
            elements.append((index, AvroWanted()))
            return elements[elements.count - 1].wanted
        }
    }
}

/// Decodes records of one file: wanted values go to `values`, by field; the others are passed over.
struct AvroDecoder {
    let schema: AvroSchema
    let ignoresCase: Bool
    var input: AvroInput
    var values: [TypedValue]
    /// Something of the record does not fit a column's path; the record is bad, the block is not.
    var failure: FieldFailure?
    /// Items that take no bytes could be claimed without end: so many more are believed.
    private var freeItems = 1 << 20
    private let texts: AvroTexts
    private static let deepest = 100

    init(_ schema: AvroSchema, _ input: AvroInput, fields: Int, ignoresCase: Bool, texts: AvroTexts) {
        self.schema = schema
        self.input = input
        self.ignoresCase = ignoresCase
        self.texts = texts
        values = Array(repeating: .null, count: fields)
    }

    mutating func record(_ wanted: AvroWanted) throws {
        for field in values.indices { values[field] = .null }
        failure = nil
        try visit(schema.root, wanted, 0)
    }

    private func check(_ depth: Int) throws {
        if depth > AvroDecoder.deepest { throw AvroDamage(reason: "values are nested too deep") }
    }

    // MARK: Wanted values

    private mutating func visit(_ type: Int, _ wanted: AvroWanted, _ depth: Int) throws {
        try check(depth)
        if !wanted.fields.isEmpty {
            let start = input.index
            let value = try value(type, depth)
            for field in wanted.fields { values[field] = value }
            if wanted.members.isEmpty && wanted.elements.isEmpty { return }
            input.index = start
        }
        switch schema.types[type].kind {
        case .union(let branches): try visit(try branch(branches), wanted, depth + 1)
        case .record(let members):
            if !wanted.elements.isEmpty { failure = JSONTrouble.notAnArray.failure }
            for member in members { try take(member.type, child(wanted, named: member.name), depth + 1) }
        case .map(let items): try visitMap(items, wanted, depth)
        case .array(let items): try visitArray(items, wanted, depth)
        case .null: break
        case .boolean, .int, .long, .float, .double, .bytes, .string, .fixed, .symbols:
            failure = JSONTrouble.notAnObject.failure
            try skip(type, depth)
        }
    }

    private mutating func take(_ type: Int, _ wanted: AvroWanted?, _ depth: Int) throws {
        if let wanted { try visit(type, wanted, depth) } else { try skip(type, depth) }
    }

    private func child(_ wanted: AvroWanted, named name: [UInt8]) -> AvroWanted? {
        wanted.members.first { matches($0.name, name) }?.wanted
    }

    private mutating func visitMap(_ items: Int, _ wanted: AvroWanted, _ depth: Int) throws {
        if !wanted.elements.isEmpty { failure = JSONTrouble.notAnArray.failure }
        try forEachItem { decoder, _ in
            let (start, count) = try decoder.input.take(try decoder.input.length())
            let name = Array(UnsafeBufferPointer(start: start, count: count))
            try decoder.take(items, decoder.child(wanted, named: name), depth + 1)
        }
    }

    private mutating func visitArray(_ items: Int, _ wanted: AvroWanted, _ depth: Int) throws {
        if !wanted.members.isEmpty { failure = JSONTrouble.notAnObject.failure }
        let count = try forEachItem { decoder, index in
            try decoder.take(items, wanted.elements.first { $0.index == index }?.wanted, depth + 1)
        }
        if wanted.elements.contains(where: { $0.index >= count }) { failure = JSONTrouble.noSuchElement.failure }
    }

    /// Paths for 'auto ignorecase' are in lower case.
    private func matches(_ wanted: [UInt8], _ name: [UInt8]) -> Bool {
        if wanted == name { return true }
        return ignoresCase && wanted.elementsEqual(name.lazy.map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 })
    }

    private mutating func branch(_ branches: [Int]) throws -> Int {
        let index = try input.long()
        guard index >= 0, index < branches.count else { throw AvroDamage(reason: "a union has no such branch") }
        return branches[Int(index)]
    }

    /// Arrays and maps come in runs, each with its count; a negative one is followed by the run's size.
    @discardableResult
    private mutating func forEachItem(_ body: (inout AvroDecoder, Int) throws -> Void) throws -> Int {
        var index = 0
        while true {
            let count = try input.long()
            if count == 0 { return index }
            if count < 0 { _ = try input.long() }
            for _ in 0..<count.magnitude {
                let before = input.index
                try body(&self, index)
                index += 1
                if input.index == before { try takeFreeItem() }
            }
        }
    }

    private mutating func takeFreeItem() throws {
        freeItems -= 1
        if freeItems < 0 { throw AvroDamage(reason: "a count is impossible") }
    }

    private mutating func value(_ type: Int, _ depth: Int) throws -> TypedValue {
        try check(depth)
        let kinded = schema.types[type]
        switch kinded.kind {
        case .null: return .null
        case .boolean: return .boolean(try input.byte() != 0)
        case .int, .long: return AvroDecoder.integer(try input.long(), kinded.logical)
        case .float: return .double(try input.float())
        case .double: return .double(try input.double())
        case .bytes, .string: return bytes(try input.take(try input.length()), kinded.logical)
        case .fixed(let size): return bytes(try input.take(size), kinded.logical)
        case .symbols(let symbols): return texts.keep(try symbol(symbols))
        case .union(let branches): return try value(try branch(branches), depth + 1)
        case .array, .map, .record:
            let text = texts.beginNested()
            try write(type, to: text, depth)
            return texts.endNested()
        }
    }

    private mutating func symbol(_ symbols: [[UInt8]]) throws -> [UInt8] {
        let index = try input.long()
        guard index >= 0, index < symbols.count else { throw AvroDamage(reason: "an enum has no such symbol") }
        return symbols[Int(index)]
    }

    private static func integer(_ number: Int64, _ logical: AvroSchema.Logical) -> TypedValue {
        switch logical {
        case .date: return .day(number)
        case .time(let perSecond):
            return microseconds(number, perSecond).map { .clock($0) } ?? .number(Int128(number), scale: 0)
        case .timestamp(let perSecond, let isInstant):
            return microseconds(number, perSecond).map { .moment($0, isInstant: isInstant) }
                ?? .number(Int128(number), scale: 0)
        case .none, .decimal, .uuid: return .number(Int128(number), scale: 0)
        }
    }

    private static func microseconds(_ number: Int64, _ perSecond: Int64) -> Int64? {
        if perSecond > 1_000_000 {
            // Rounded towards the past, as the parts of a microsecond are cut.
            let divisor = perSecond / 1_000_000
            return number / divisor - (number % divisor < 0 ? 1 : 0)
        }
        let (product, overflow) = number.multipliedReportingOverflow(by: 1_000_000 / perSecond)
        return overflow ? nil : product
    }

    /// Decimals are big-endian numbers of any length; what has more than 128 bits stays bytes and fails as text.
    private func bytes(_ place: (UnsafeMutablePointer<UInt8>, Int), _ logical: AvroSchema.Logical) -> TypedValue {
        guard case .decimal(let scale) = logical, place.1 > 0 else { return .text(place.0, place.1) }
        var number: Int128 = place.0[0] >= 0x80 ? -1 : 0
        for index in 0..<place.1 {
            let (high, overflow) = number.multipliedReportingOverflow(by: 256)
            if overflow { return texts.keep(Array("decimal of more than 128 bits".utf8)) }
            number = high | Int128(place.0[index])
        }
        return .number(number, scale: scale)
    }

    // MARK: Unwanted values

    private mutating func skip(_ type: Int, _ depth: Int) throws {
        try check(depth)
        switch schema.types[type].kind {
        case .null: break
        case .boolean: _ = try input.byte()
        case .int, .long, .symbols: _ = try input.long()
        case .float: _ = try input.take(4)
        case .double: _ = try input.take(8)
        case .bytes, .string: _ = try input.take(try input.length())
        case .fixed(let size): _ = try input.take(size)
        case .union(let branches): try skip(try branch(branches), depth + 1)
        case .record(let members): for member in members { try skip(member.type, depth + 1) }
        case .array(let items): try forEachItem { decoder, _ in try decoder.skip(items, depth + 1) }
        case .map(let items):
            try forEachItem { decoder, _ in
                _ = try decoder.input.take(try decoder.input.length())
                try decoder.skip(items, depth + 1)
            }
        }
    }

    // MARK: Nested values as JSON

    private mutating func write(_ type: Int, to text: TextBuffer, _ depth: Int) throws {
        try check(depth)
        if text.count > LoadError.largestText { throw AvroDamage(reason: "a nested value is too long") }
        switch schema.types[type].kind {
        case .union(let branches): try write(try branch(branches), to: text, depth + 1)
        case .record(let members):
            text.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                member.name.withUnsafeBufferPointer { JSONText.append($0, to: text) }
                text.append(UInt8(ascii: ":"))
                try write(member.type, to: text, depth + 1)
            }
            text.append(UInt8(ascii: "}"))
        case .map(let items):
            text.append(UInt8(ascii: "{"))
            try forEachItem { decoder, index in
                if index > 0 { text.append(UInt8(ascii: ",")) }
                let (start, count) = try decoder.input.take(try decoder.input.length())
                JSONText.append(UnsafeBufferPointer(start: start, count: count), to: text)
                text.append(UInt8(ascii: ":"))
                try decoder.write(items, to: text, depth + 1)
            }
            text.append(UInt8(ascii: "}"))
        case .array(let items):
            text.append(UInt8(ascii: "["))
            try forEachItem { decoder, index in
                if index > 0 { text.append(UInt8(ascii: ",")) }
                try decoder.write(items, to: text, depth + 1)
            }
            text.append(UInt8(ascii: "]"))
        case .null, .boolean, .int, .long, .float, .double, .bytes, .string, .fixed, .symbols:
            JSONText.append(try value(type, depth), to: text)
        }
    }
}
