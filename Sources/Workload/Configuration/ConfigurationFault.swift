/// Why a configuration cannot be used.
package struct ConfigurationFault: Error, Sendable, Hashable {
    /// What is wrong, in a sentence without the place.
    package var message: String
    /// What to do, where that is not obvious.
    package var hint: String?
    /// Of the text's bytes, from 0.
    package var offset: Int
    /// From 1; columns count bytes.
    package var line: Int
    package var column: Int

    package init(_ message: String, hint: String? = nil, offset: Int, in text: [UInt8]) {
        self.message = message
        self.hint = hint
        self.offset = offset
        let before = text.prefix(offset)
        line = 1 + before.count { $0 == 10 }
        column = 1 + before.count - (before.lastIndex(of: 10).map { $0 + 1 } ?? 0)
    }
}
