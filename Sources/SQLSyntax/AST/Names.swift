/// One name, folded as Redshift does: to lower case, quoted or not, unless the parser was told to keep quoted case.
/// Two identifiers are equal when their folded texts are.
package struct Identifier: Sendable, Hashable, CustomStringConvertible {
    /// The folded name: what the catalog is asked for.
    package let text: String
    /// As written, without quotes, if that differs from ``text``.
    let spelling: String?
    package let quoted: Bool
    package let position: SourcePosition

    package init(_ text: String, original: String? = nil, quoted: Bool = false, position: SourcePosition = .unknown) {
        self.text = text
        self.spelling = original == text ? nil : original
        self.quoted = quoted
        self.position = position
    }

    /// As written, without quotes.
    package var original: String { spelling ?? text }
    package var description: String { text }

    package static func == (left: Identifier, right: Identifier) -> Bool { left.text == right.text }
    package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// A dotted name of one to four parts: `[[database.]schema.]name`, or a column behind such a name.
package struct ObjectName: Sendable, Hashable, CustomStringConvertible {
    /// At least one part; the last one is the object itself.
    package let parts: [Identifier]

    package init(parts: [Identifier]) { self.parts = parts }
    package init(_ part: Identifier) { parts = [part] }

    package var last: Identifier { parts[parts.count - 1] }
    /// The object's own name.
    package var name: String { last.text }
    package var schema: String? { parts.count >= 2 ? parts[parts.count - 2].text : nil }
    package var database: String? { parts.count >= 3 ? parts[parts.count - 3].text : nil }
    package var position: SourcePosition { parts[0].position }
    /// The dotted folded name, for messages.
    package var description: String { parts.map(\.text).joined(separator: ".") }
}
