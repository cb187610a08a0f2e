/// Auto-copy: `COPY ... JOB CREATE name [AUTO ON | OFF]` and `COPY JOB ...`.
package struct CopyJobStatement: Sendable, Hashable {
    package enum Action: Sendable, Hashable {
        /// The COPY without its JOB option.
        case create(CopyStatement, isAutomatic: Bool)
        case alter(isAutomatic: Bool)
        case show, run, drop
    }
    /// nil for LIST, which is of all of them.
    package let action: Action?
    /// Empty for LIST.
    package let name: Identifier
    package let position: SourcePosition

    package static func list(at position: SourcePosition) -> CopyJobStatement {
        CopyJobStatement(action: nil, name: Identifier(""), position: position)
    }
}
