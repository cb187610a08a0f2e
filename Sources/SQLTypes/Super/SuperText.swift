/// SUPER as JSON text, without blanks: what results, JSON_SERIALIZE, COPY and UNLOAD show.
package enum SuperText {
    /// - Parameter limit: of the text's bytes.
    package static func append(_ view: SuperView, to buffer: TextBuffer, limit: Int = .max) throws {
        try append(view, to: buffer, end: limit == .max ? .max : buffer.count + limit, depth: 0)
    }

    /// For those who show a value and cannot fail: what is damaged shows that.
    package static func appendShown(_ bytes: UnsafeBufferPointer<UInt8>, to buffer: TextBuffer) {
        let start = buffer.count
        do {
            try append(SuperView(bytes), to: buffer)
        } catch {
            buffer.truncate(to: start)
            buffer.append("damaged SUPER value")
        }
    }

    private static func append(_ view: SuperView, to buffer: TextBuffer, end: Int, depth: Int) throws {
        guard buffer.count <= end else { throw tooLong }
        let kind = try view.kind()
        switch kind {
        case .null: buffer.append("null")
        case .no: buffer.append("false")
        case .yes: buffer.append("true")
        case .string: appendQuoted(view.text(), to: buffer)
        case .integer, .decimal, .double: try appendNumber(view, kind, to: buffer)
        case .array, .object:
            guard depth < SuperForm.maximumDepth else { throw SuperForm.tooDeep }
            let container = try view.container()
            buffer.append(kind == .object ? 0x7B : 0x5B as UInt8)
            for index in 0..<container.count {
                if index > 0 { buffer.append(0x2C as UInt8) }
                if kind == .object {
                    appendQuoted(try container.name(index), to: buffer)
                    buffer.append(0x3A as UInt8)
                }
                try append(try container.value(index), to: buffer, end: end, depth: depth + 1)
            }
            buffer.append(kind == .object ? 0x7D : 0x5D as UInt8)
        }
        guard buffer.count <= end else { throw tooLong }
    }

    static func appendNumber(_ view: SuperView, _ kind: SuperForm.Kind, to buffer: TextBuffer) throws {
        switch kind {
        case .integer: IntegerText.append(try view.integer(), to: buffer)
        case .decimal:
            let (value, scale) = try view.decimal()
            DecimalText.append(value, scale: scale, to: buffer)
        default:
            // The fewest digits that read as the same number: `0.1`, `1e+16`, `1.0`.
            buffer.append(text: "\(try view.double())")
        }
    }

    private static var tooLong: SQLError {
        SQLError(
            .stringTooLong, "Value too long for character type",
            detail: "The JSON text of the SUPER value is longer than \(SQLType.maximumVarcharLength) bytes.",
            hint: "JSON_SERIALIZE_TO_VARBYTE has room for up to 1,024,000 bytes.")
    }

    private static let digits: [UInt8] = Array("0123456789abcdef".utf8)

    static func appendQuoted(_ text: UnsafeBufferPointer<UInt8>, to buffer: TextBuffer) {
        buffer.append(0x22 as UInt8)
        var start = 0
        for index in 0..<text.count {
            let byte = text[index]
            if byte >= 0x20 && byte != 0x22 && byte != 0x5C { continue }
            buffer.append(UnsafeBufferPointer(rebasing: text[start..<index]))
            start = index + 1
            switch byte {
            case 0x22: buffer.append("\\\"")
            case 0x5C: buffer.append("\\\\")
            case 8: buffer.append("\\b")
            case 12: buffer.append("\\f")
            case 10: buffer.append("\\n")
            case 13: buffer.append("\\r")
            case 9: buffer.append("\\t")
            default:
                buffer.append("\\u00")
                buffer.append(digits[Int(byte >> 4)])
                buffer.append(digits[Int(byte & 15)])
            }
        }
        buffer.append(UnsafeBufferPointer(rebasing: text[start...]))
        buffer.append(0x22 as UInt8)
    }
}
