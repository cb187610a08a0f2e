import SQLTypes

/// Where a server is and who asks: `postgres://user:password@host:port/database?sslmode=require`.
package struct ServerAddress: Sendable, Hashable {
    /// The names and meanings of libpq's `sslmode`.
    package enum Encryption: String, Sendable, CaseIterable {
        case disable, prefer, require
        case verifyAuthority = "verify-ca"
        case verifyFull = "verify-full"
    }
    package var host = "127.0.0.1"
    package var port = 5439
    package var user = "dev"
    package var password: String?
    package var database = "dev"
    package var encryption = Encryption.prefer
    /// PEM file of the authorities to trust; the machine's own by default.
    package var rootCertificate: String?

    private static let schemes = ["postgres://", "postgresql://", "redshift://"]

    package static func isAddress(_ text: String) -> Bool { schemes.contains { text.hasPrefix($0) } }

    package init(_ url: String) throws {
        guard let scheme = ServerAddress.schemes.first(where: { url.hasPrefix($0) }) else {
            throw ServerAddress.error("\"\(url)\" is no server's address")
        }
        var rest = url.dropFirst(scheme.count)
        var query: Substring = ""
        if let mark = rest.firstIndex(of: "?") {
            query = rest[rest.index(after: mark)...]
            rest = rest[..<mark]
        }
        if let at = rest.lastIndex(of: "@") {
            let parts = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            if !parts[0].isEmpty { user = try ServerAddress.decoded(parts[0]) }
            if parts.count == 2 { password = try ServerAddress.decoded(parts[1]) }
            rest = rest[rest.index(after: at)...]
        }
        if let slash = rest.firstIndex(of: "/") {
            let name = rest[rest.index(after: slash)...]
            if !name.isEmpty { database = try ServerAddress.decoded(name) }
            rest = rest[..<slash]
        }
        try setPlace(rest)
        for option in query.split(separator: "&") { try setOption(option) }
    }

    private mutating func setPlace(_ place: Substring) throws {
        var name = place
        if let colon = place.lastIndex(of: ":"), !place.hasSuffix("]") {
            guard let number = Int(place[place.index(after: colon)...]), (1...65_535).contains(number) else {
                throw ServerAddress.error("\"\(place)\" has no valid port")
            }
            port = number
            name = place[..<colon]
        }
        if name.hasPrefix("["), name.hasSuffix("]") { name = name.dropFirst().dropLast() }
        if !name.isEmpty { host = String(name) }
    }

    private mutating func setOption(_ option: Substring) throws {
        let parts = option.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { throw ServerAddress.error("\"\(option)\" is not name=value") }
        switch parts[0] {
        case "sslmode":
            guard let mode = Encryption(rawValue: parts[1]) else {
                throw ServerAddress.error("unknown sslmode \"\(parts[1])\"")
            }
            encryption = mode
        case "sslrootcert": rootCertificate = try ServerAddress.decoded(Substring(parts[1]))
        default: throw ServerAddress.error("unknown option \"\(parts[0])\"")
        }
    }

    /// `%41` and the like.
    private static func decoded(_ text: Substring) throws -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            guard digits.utf8.count == 2, let value = UInt8(digits, radix: 16) else {
                throw error("\"\(text)\" has a percent sign without two hexadecimal digits")
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func error(_ message: String) -> SQLError { SQLError(.invalidParameterValue, message) }
}
