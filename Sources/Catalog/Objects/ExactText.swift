/// A text of a definition, the same as another only byte by byte: Swift's strings are equal when they are canonically
/// equivalent, while a literal in a view's text is what it is.
@propertyWrapper
package struct ExactText: Sendable, Hashable {
    package var wrappedValue: String

    package init(wrappedValue: String) { self.wrappedValue = wrappedValue }

    package static func == (left: ExactText, right: ExactText) -> Bool {
        left.wrappedValue.utf8.elementsEqual(right.wrappedValue.utf8)
    }
    package func hash(into hasher: inout Hasher) {
        for byte in wrappedValue.utf8 { hasher.combine(byte) }
    }
}

/// The same of a text that may be missing.
@propertyWrapper
package struct ExactComment: Sendable, Hashable {
    private var text: ExactText?
    package var wrappedValue: String? {
        get { text?.wrappedValue }
        set { text = newValue.map { ExactText(wrappedValue: $0) } }
    }

    package init(wrappedValue: String?) { text = wrappedValue.map { ExactText(wrappedValue: $0) } }
}
