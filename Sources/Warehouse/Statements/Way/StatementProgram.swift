import ColumnStore

/// What a statement does, with everything that its way must know before it does it. A conforming type for each
/// statement, in a file of its own; no requirement has a default, so a statement that forgets one does not compile.
/// Immutable: programs of cached statements are shared by sessions.
protocol StatementProgram: Sendable {
    var kind: StatementKind { get }
    var effects: StatementEffects { get }

    /// Throws when the user may not do it. What it reads is checked apart from it (``StatementRights/check(_:)``), and
    /// superusers are not asked.
    func check(_ rights: StatementRights) throws

    /// Runs it to its command tag.
    ///
    /// - Parameter snapshot: the state that it was planned on, with the locks of its effects held.
    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws
}
