import SQLTypes

/// The format of rows that clients send and receive themselves: PostgreSQL's, not that of Redshift's files.
public struct ClientStreamFormat: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable { case text, csv, binary }
    public var kind = Kind.text
    public var delimiter = UInt8(ascii: "\t")
    public var null: [UInt8] = Array("\\N".utf8)
    public var quote = UInt8(ascii: "\"")
    public var escape = UInt8(ascii: "\"")
    public var hasHeader = false

    public init() {}

    /// - Parameter options: names in upper case.
    package init(parsing options: [RawCopyOption]) throws {
        if let format = options.first(where: { $0.name == "FORMAT" }) {
            guard let kind = Kind(rawValue: (format.values.first?.text ?? "").lowercased()) else {
                throw ClientStreamFormat.invalid(
                    "COPY format \"\(format.values.first?.text ?? "")\" not recognized", format)
            }
            self.kind = kind
        }
        if kind == .csv {
            delimiter = UInt8(ascii: ",")
            null = []
        }
        for option in options where option.name != "FORMAT" { try apply(option) }
        if !options.contains(where: { $0.name == "ESCAPE" }) { escape = quote }
        guard delimiter != quote || kind != .csv else {
            throw SQLError(.invalidParameterValue, "COPY delimiter and quote must be different")
        }
    }

    private mutating func apply(_ option: RawCopyOption) throws {
        switch option.name {
        case "DELIMITER", "DELIMITERS": delimiter = try byte(option)
        case "NULL":
            let text = Array((option.values.first?.text ?? "").utf8)
            guard !text.contains(10), !text.contains(13) else {
                throw ClientStreamFormat.invalid(
                    "COPY null representation cannot use newline or carriage return", option)
            }
            null = text
        case "HEADER": hasHeader = try flag(option)
        case "QUOTE" where kind == .csv: quote = try byte(option)
        case "ESCAPE" where kind == .csv: escape = try byte(option)
        case "QUOTE", "ESCAPE":
            throw ClientStreamFormat.invalid(
                "COPY \(option.name.lowercased()) available only in CSV mode", option)
        case "ENCODING":
            let name = (option.values.first?.text ?? "").lowercased().filter { $0 != "-" }
            if name != "utf8" { throw ClientStreamFormat.unsupported(option) }
        case "FREEZE": _ = try flag(option)
        case "FORCE", "FORCE QUOTE", "FORCE_QUOTE", "FORCE_NOT_NULL", "FORCE NOT", "FORCE_NULL",
            "FORCE NULL", "OIDS",
            "ACCEPTINVCHARS":
            throw ClientStreamFormat.unsupported(option)
        default:
            throw SQLError(
                .syntaxError, "option \"\(option.name.lowercased())\" not recognized",
                position: option.position)
        }
    }

    private func byte(_ option: RawCopyOption) throws -> UInt8 {
        let text = Array((option.values.first?.text ?? "").utf8)
        let isTab = text == Array("\\t".utf8)
        guard text.count == 1 || isTab, let first = text.first, first != 10, first != 13, first < 0x80,
            isTab || first != UInt8(ascii: "\\") || option.name == "ESCAPE"
        else {
            throw ClientStreamFormat.invalid(
                "COPY \(option.name.lowercased()) must be a single one-byte character", option)
        }
        return isTab ? 9 : first
    }

    private func flag(_ option: RawCopyOption) throws -> Bool {
        switch option.values.first?.text.lowercased() {
        case nil, "true", "on", "1": return true
        case "false", "off", "0": return false
        default:
            throw ClientStreamFormat.invalid(
                "\(option.name.lowercased()) requires a Boolean value", option)
        }
    }

    private static func invalid(_ message: String, _ option: RawCopyOption) -> SQLError {
        SQLError(.invalidParameterValue, message, position: option.position)
    }
    private static func unsupported(_ option: RawCopyOption) -> SQLError {
        SQLError(
            .featureNotSupported,
            "COPY option \(option.name) is not supported for rows from and to clients",
            position: option.position)
    }
}
