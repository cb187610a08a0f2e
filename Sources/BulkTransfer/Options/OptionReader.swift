import SQLTypes

/// Reads the value of one COPY option as the kind it has to be.
struct OptionReader {
    let option: RawCopyOption
    var name: String { option.name }

    init(_ option: RawCopyOption) { self.option = option }

    private func single() throws -> RawCopyOption.Value {
        guard let value = option.values.first else { throw SQLError(.syntaxError, "\(name) needs a value") }
        if option.values.count > 1 { throw SQLError(.syntaxError, "\(name) takes one value") }
        return value
    }

    func string() throws -> String {
        guard case .string(let text) = try single() else {
            throw SQLError(.syntaxError, "\(name) needs a string in single quotes")
        }
        return text
    }

    /// A string, or a bare word.
    func text() throws -> String { try single().text }

    func integer(_ range: ClosedRange<Int>) throws -> Int {
        guard let number = Int(try single().text) else {
            throw SQLError(.invalidParameterValue, "\(name) needs an integer, not \"\(try single().text)\"")
        }
        guard range.contains(number) else {
            throw SQLError(
                .invalidParameterValue,
                "value \(number) of \(name) is out of range (\(range.lowerBound) to \(range.upperBound))")
        }
        return number
    }

    /// An option without a value, or with ON or OFF.
    func onOff() throws -> Bool {
        if option.values.isEmpty { return true }
        switch try single().text.uppercased() {
        case "ON", "TRUE": return true
        case "OFF", "FALSE": return false
        default: throw SQLError(.syntaxError, "\(name) takes ON or OFF, not \"\(try single().text)\"")
        }
    }

    func flag(_ kind: CopyOptions.Compression) throws -> CopyOptions.Compression {
        if option.values.isEmpty { return kind }
        throw SQLError(.syntaxError, "\(name) takes no value")
    }

    func compressionUpdate() throws -> CopyOptions.CompressionUpdate {
        if option.values.first?.text.uppercased() == "PRESET" { return .preset }
        return try onOff() ? .on : .off
    }

    func choice<Choice>(_ make: (String) -> Choice?) throws -> Choice {
        let text = try single().text
        let plain = text.uppercased().filter { $0 != "-" && $0 != "_" }
        guard let choice = make(plain) else {
            throw SQLError(.invalidParameterValue, "unknown value \"\(text)\" for \(name)")
        }
        return choice
    }

    func optionalCharacter(_ what: String) throws -> UInt8? {
        option.values.isEmpty ? nil : try character(what)
    }

    /// One ASCII character, also written as `\t` or octal `\ddd`.
    func character(_ what: String) throws -> UInt8 {
        let bytes = Array(try string().utf8)
        guard let byte = OptionReader.decode(bytes), byte < 0x80, byte != 0 else {
            throw SQLError(.invalidParameterValue, "\(what) must be a single ASCII character")
        }
        if byte == 10 || byte == 13 {
            throw SQLError(.invalidParameterValue, "\(what) cannot be newline or carriage return")
        }
        return byte
    }

    private static func decode(_ bytes: [UInt8]) -> UInt8? {
        if bytes.count == 1 { return bytes[0] }
        guard bytes.first == UInt8(ascii: "\\") else { return nil }
        if bytes.count == 2 {
            switch bytes[1] {
            case UInt8(ascii: "t"): return 9
            case UInt8(ascii: "b"): return 8
            case UInt8(ascii: "f"): return 12
            case UInt8(ascii: "v"): return 11
            case UInt8(ascii: "n"): return 10
            case UInt8(ascii: "r"): return 13
            case UInt8(ascii: "\\"): return bytes[1]
            default: break
            }
        }
        guard bytes.count <= 4 else { return nil }
        return UInt8(String(decoding: bytes.dropFirst(), as: UTF8.self), radix: 8)
    }
}
