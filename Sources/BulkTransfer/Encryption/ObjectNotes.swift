import SQLTypes

/// What a client that encrypts notes beside an object: headers `x-amz-meta-...` of an object of S3, or a file beside
/// the file, `NAME.instruction`, with the same names in a JSON object.
package struct ObjectNotes: Sendable, Hashable {
    private var values: [String: String]

    init(_ values: [String: String]) { self.values = values }

    subscript(name: String) -> String? { values[name] }
    var isOfEncryption: Bool { values["x-amz-key"] != nil || values["x-amz-key-v2"] != nil }
    var sorted: [(name: String, value: String)] {
        values.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    }

    // MARK: Headers of S3

    private static let headerPrefix = "x-amz-meta-"

    init(headers: [String: String]) {
        values = [:]
        for (name, value) in headers where name.hasPrefix(ObjectNotes.headerPrefix) {
            values[String(name.dropFirst(ObjectNotes.headerPrefix.count))] = value
        }
    }
    var headers: [(name: String, value: String)] {
        sorted.map { (name: ObjectNotes.headerPrefix + $0.name, value: $0.value) }
    }

    // MARK: Instruction files

    static let fileSuffix = ".instruction"
    static let largestFileBytes = 64 << 10

    /// - Parameter name: of the instruction file, for errors.
    init(file bytes: [UInt8], name: String) throws {
        guard case .object(let members) = try JSONDocument.parse(bytes, "instruction file \"\(name)\"") else {
            throw SQLError(.dataException, "instruction file \"\(name)\" has no JSON object")
        }
        values = [:]
        for member in members { values[member.key.lowercased()] = member.value.text }
    }

    var file: [UInt8] {
        let buffer = TextBuffer(capacity: 256)
        func append(_ text: String) {
            var text = text
            text.withUTF8 { appendJSON($0, to: buffer) }
        }
        for (index, note) in sorted.enumerated() {
            buffer.append(index == 0 ? "{" : ",")
            append(note.name)
            buffer.append(":")
            append(note.value)
        }
        buffer.append("}\n")
        return buffer.array
    }

    // MARK: Errors

    /// Encrypted bytes are no rows.
    static func needsKey(_ name: String) -> SQLError {
        SQLError(
            .dataException, "The file '\(name)' is encrypted by its client",
            hint: "COPY needs ENCRYPTED and MASTER_SYMMETRIC_KEY 'key' to read it.")
    }

    /// Throws when an object has an instruction file beside it.
    static func checkPlain(_ objects: [LoadObject]) throws {
        let instructions = Set(objects.map(\.name).filter { $0.hasSuffix(fileSuffix) })
        if instructions.isEmpty { return }
        if let sealed = objects.first(where: { instructions.contains($0.name + fileSuffix) }) {
            throw needsKey(sealed.name)
        }
    }
}
