/// What a statement is to everybody but itself.
struct StatementKind: Sendable, Hashable {
    /// Where it stands to the blocks that BEGIN opens.
    enum BlockRule: Sendable, Hashable {
        case anywhere
        /// What the block has done is committed first, as Redshift does for TRUNCATE.
        case commitsBlock
        /// An error inside of a block, which calls it so.
        case outside(String)
        /// This error outside of a block.
        case inside(String)
        /// It takes what it needs itself: BEGIN, COMMIT and ROLLBACK, and EXECUTE, whose statement has a rule of its
        /// own.
        case ownRule
    }

    /// As errors and the command tag name it, without counts: `CREATE TABLE`.
    var name: String
    var blockRule = BlockRule.anywhere

    init(_ name: String, _ blockRule: BlockRule = .anywhere) {
        self.name = name
        self.blockRule = blockRule
    }
}
