/// One name, folded as Redshift does: to lower case, quoted or not, unless the parser was told to keep quoted case.
/// Two identifiers are equal when their folded texts are.
public struct Identifier: Sendable, Hashable, CustomStringConvertible {
    /// The folded name: what the catalog is asked for.
    public let text: String
    /// As written, without quotes, if that differs from ``text``.
    let spelling: String?
    public let quoted: Bool
    public let position: SourcePosition

    public init(_ text: String, original: String? = nil, quoted: Bool = false, position: SourcePosition = .unknown) {
        self.text = text
        self.spelling = original == text ? nil : original
        self.quoted = quoted
        self.position = position
    }

    /// As written, without quotes.
    public var original: String { spelling ?? text }
    public var description: String { text }

    public static func == (left: Identifier, right: Identifier) -> Bool { left.text == right.text }
    public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// A dotted name of one to four parts: `[[database.]schema.]name`, or a column behind such a name.
public struct ObjectName: Sendable, Hashable, CustomStringConvertible {
    /// At least one part; the last one is the object itself.
    public let parts: [Identifier]

    public init(parts: [Identifier]) { self.parts = parts }
    public init(_ part: Identifier) { parts = [part] }

    public var last: Identifier { parts[parts.count - 1] }
    /// The object's own name.
    public var name: String { last.text }
    public var schema: String? { parts.count >= 2 ? parts[parts.count - 2].text : nil }
    public var database: String? { parts.count >= 3 ? parts[parts.count - 3].text : nil }
    public var position: SourcePosition { parts[0].position }
    /// The dotted folded name, for messages.
    public var description: String { parts.map(\.text).joined(separator: ".") }
}
