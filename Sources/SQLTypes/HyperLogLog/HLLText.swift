/// HLLSKETCH as text. Sparse sketches are JSON: `{"logm":15,"sparse":{"indices":[4878,9559],"values":[1,2]}}`. Dense
/// ones are Base64 of their binary form.
package enum HLLText {
    package static func append(_ bytes: UnsafeBufferPointer<UInt8>, to buffer: TextBuffer) throws {
        var sketch = try HLLSketch(checking: bytes)
        sketch.compact()
        if sketch.isDense { return buffer.append(text: Base64.encode(sketch.bytes())) }
        buffer.append("{\"logm\":15,\"sparse\":{\"indices\":[")
        append(sketch.entries.map { Int64($0 >> 6) }, to: buffer)
        buffer.append("],\"values\":[")
        append(sketch.entries.map { Int64($0 & 63) }, to: buffer)
        buffer.append("]}}")
    }

    private static func append(_ numbers: [Int64], to buffer: TextBuffer) {
        for (place, number) in numbers.enumerated() {
            if place > 0 { buffer.append(0x2C as UInt8) }
            IntegerText.append(number, to: buffer)
        }
    }

    /// For those who show a value and cannot fail: what is damaged shows that.
    package static func appendShown(_ bytes: UnsafeBufferPointer<UInt8>, to buffer: TextBuffer) {
        let start = buffer.count
        do {
            try append(bytes, to: buffer)
        } catch {
            buffer.truncate(to: start)
            buffer.append("damaged HLLSKETCH value")
        }
    }

    // MARK: Reading

    /// Why a text is no sketch; what else goes wrong has no reason that is worth telling.
    private struct Malformed: Error {
        var detail: String
    }

    /// The binary form of what a text means.
    package static func parse(_ text: UnsafeBufferPointer<UInt8>) throws -> [UInt8] {
        do {
            var sketch = try sketch(text)
            return sketch.bytes()
        } catch {
            let shown = String(decoding: text.prefix(64), as: UTF8.self)
            throw SQLError(
                .invalidText, "invalid input syntax for type hllsketch: \"\(shown)\"",
                detail: (error as? Malformed)?.detail)
        }
    }

    private static func sketch(_ text: UnsafeBufferPointer<UInt8>) throws -> HLLSketch {
        guard let base = text.baseAddress else { throw HLLForm.damage }
        let (start, end) = TextInput.trimmed(base, text.count)
        let words = UnsafeBufferPointer(start: base + start, count: end - start)
        if words.first == UInt8(ascii: "{") { return try sparse(words) }
        guard let bytes = Base64.decode(String(decoding: words, as: UTF8.self)) else { throw HLLForm.damage }
        return try bytes.withUnsafeBufferPointer { try HLLSketch(checking: $0) }
    }

    private static func sparse(_ text: UnsafeBufferPointer<UInt8>) throws -> HLLSketch {
        let builder = SuperBuilder()
        defer { withExtendedLifetime(builder) {} }
        try SuperParser.parse(text, into: builder)
        let root = try members(SuperView(builder.bytes), ["version", "logm", "sparse"])
        if let version = try root["version"].map(integer), version != 1 {
            throw Malformed(detail: "The version is 1 where it is written.")
        }
        guard try root["logm"].map(integer) == Int64(HLLSketch.precision) else {
            throw Malformed(detail: "The precision of a sketch (logm) is \(HLLSketch.precision).")
        }
        guard let lists = root["sparse"] else { throw HLLForm.damage }
        let parts = try members(lists, ["indices", "values"])
        guard let indices = try parts["indices"].map(numbers), let values = try parts["values"].map(numbers) else {
            throw HLLForm.damage
        }
        return try sketch(indices, values)
    }

    private static func sketch(_ indices: [Int64], _ values: [Int64]) throws -> HLLSketch {
        guard indices.count == values.count else {
            throw Malformed(detail: "There are \(indices.count) indices and \(values.count) values.")
        }
        var result = HLLSketch()
        var seen = [Bool](repeating: false, count: HLLSketch.registerCount)
        for (index, value) in zip(indices, values) {
            guard index >= 0, index < HLLSketch.registerCount, !seen[Int(index)] else {
                throw Malformed(detail: "Indices are 0 to \(HLLSketch.registerCount - 1), each of them once.")
            }
            guard value >= 1, value <= HLLSketch.highestValue else {
                throw Malformed(detail: "Values are 1 to \(HLLSketch.highestValue).")
            }
            seen[Int(index)] = true
            result.raise(Int(index), to: UInt8(value))
        }
        return result
    }

    // MARK: Parts

    /// An object's members, all of them among those that are known.
    private static func members(_ view: SuperView, _ known: [String]) throws -> [String: SuperView] {
        guard try view.kind() == .object else { throw HLLForm.damage }
        let container = try view.container()
        var result: [String: SuperView] = [:]
        for index in 0..<container.count {
            let name = String(decoding: try container.name(index), as: UTF8.self)
            guard known.contains(name), result.updateValue(try container.value(index), forKey: name) == nil else {
                throw HLLForm.damage
            }
        }
        return result
    }

    private static func integer(_ view: SuperView) throws -> Int64 {
        guard try view.kind() == .integer else { throw HLLForm.damage }
        return try view.integer()
    }

    private static func numbers(_ view: SuperView) throws -> [Int64] {
        guard try view.kind() == .array else { throw HLLForm.damage }
        let container = try view.container()
        return try (0..<container.count).map { try integer(container.value($0)) }
    }
}
