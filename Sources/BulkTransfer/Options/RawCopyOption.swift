/// One option of a COPY statement as the parser read it: the name in upper case, noise words (AS) left out.
package struct RawCopyOption: Sendable, Hashable {
    package enum Value: Sendable, Hashable {
        case string(String)
        case number(String)
        /// A bare word such as ON, OFF, PRESET or a format name, in any case.
        case word(String)

        package var text: String {
            switch self {
            case .string(let text), .number(let text), .word(let text): text
            }
        }
    }
    package var name: String
    package var values: [Value]
    /// One-based character offset in the statement, for error messages.
    package var position: Int?

    package init(_ name: String, _ values: [Value] = [], position: Int? = nil) {
        self.name = name
        self.values = values
        self.position = position
    }
}
